! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The heat equation on a torus in Fortran, compared with what each step does to a wave:
! mpirun -n 4 halo_heat2d_fortran
program halo_heat2d_fortran
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use weft_halo
  implicit none

  integer, parameter :: cells = 24, steps = 200
  real(real64), parameter :: pi = 4*atan(1.0_real64)
  type(halo_grid) :: grid
  type(halo_exchange) :: halos
  type(halo_options) :: options
  real(real64) :: now(0:cells + 1, 0:cells + 1), next(0:cells + 1, 0:cells + 1)
  real(real64) :: factor, error
  integer :: dims(2), coords(2), i, j, step, code

  call MPI_Init(code)
  call grid%make(MPI_COMM_WORLD, dims=[0, 0], periodic=[.true., .true.])
  dims = grid%dims()
  coords = grid%coords()
  options%directions = halo_faces
  call halos%make(grid, [halo_inner(cells, 1), halo_inner(cells, 1)], storage_size(now)/8, options=options)

  now = 0
  do j = 1, cells
    do i = 1, cells
      now(i, j) = wave(i, j)
    end do
  end do
  do step = 1, steps
    call halos%run(now)
    do j = 1, cells
      do i = 1, cells
        next(i, j) = now(i, j) + 0.2_real64*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) &
                                             - 4*now(i, j))
      end do
    end do
    now = next
  end do

  ! A wave stays one, and shrinks by the same factor in every step.
  factor = 1 - 0.8_real64*(sin(pi/(dims(1)*cells))**2 + sin(pi/(dims(2)*cells))**2)
  error = 0
  do j = 1, cells
    do i = 1, cells
      error = max(error, abs(now(i, j) - factor**steps*wave(i, j)))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, code)
  if (grid%rank() == 0) print '(i0, a, es8.1)', steps, ' steps, wrong by ', error
  call halos%end()
  call grid%end()
  call MPI_Finalize(code)
  if (error > 1e-12_real64) error stop 1

contains

  real(real64) function wave(i, j)
    integer, intent(in) :: i, j

    wave = sin(2*pi*(coords(1)*cells + i - 1)/(dims(1)*cells))*sin(2*pi*(coords(2)*cells + j - 1)/(dims(2)*cells))
  end function

end program
