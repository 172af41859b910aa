! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The Fortran module: every cell of every direction, single and double precision, several fields at
! once, split exchanges, shared fields, C's order, and errors with their words.
program fortran_test
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int64_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, real32, real64
  use mpi
  use weft_halo
  implicit none

  integer, parameter :: cells = 5, width = 2
  integer :: code, rank, num_failed, all_failed
  type(halo_grid) :: grid
  integer :: dims(3), coords(3)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  num_failed = 0
  call grid%make(MPI_COMM_WORLD, dims=[0, 0, 1], periodic=[.true., .false., .true.])
  dims = grid%dims()
  coords = grid%coords()
  call expect(product(dims) >= 1 .and. all(coords < dims), 'coordinates lie within the grid')
  call expect(grid%rank() == rank, 'the grid keeps the order of ranks')
  call expect(grid%neighbour([0, 0, 0]) == rank, 'a rank is its own neighbour')
  if (coords(2) == 0) call expect(grid%neighbour([0, -1, 0]) == -1, 'nobody is beyond a boundary')

  call exchange_of_three_fields()
  call split_exchange_of_integers()
  call shared_field()
  call errors_have_words()
  call sizes_and_kinds_are_checked()

  call grid%end()
  call MPI_Allreduce(num_failed, all_failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
  if (all_failed > 0) error stop 1

contains

  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what

    if (.not. is_so) then
      num_failed = num_failed + 1
      write (error_unit, '(a, i0, 2a)') 'rank ', rank, ': not so: ', what
    end if
  end subroutine

  ! The number of a cell, by its indices within this rank's inner region, 0 where nothing arrives.
  integer function number_of(i, j, k)
    integer, intent(in) :: i, j, k
    integer :: at(3), all_cells(3)

    at = coords*cells + [i, j, k] - 1
    all_cells = dims*cells
    number_of = 0
    if (at(2) < 0 .or. at(2) >= all_cells(2)) return
    at = modulo(at, all_cells)
    number_of = 1 + at(1) + 1000*at(2) + 1000000*at(3)
  end function

  logical function is_inner(i, j, k)
    integer, intent(in) :: i, j, k

    is_inner = all([i, j, k] >= 1 .and. [i, j, k] <= cells)
  end function

  subroutine exchange_of_three_fields()
    real(real64) :: a(1 - width:cells + width, 1 - width:cells + width, 1 - width:cells + width)
    real(real64), allocatable :: b(:, :, :)
    real(real32) :: single(1 - width:cells + width, 1 - width:cells + width, 1 - width:cells + width)
    type(halo_exchange) :: doubles, singles
    type(halo_axis) :: box(3)
    integer :: i, j, k, wrong

    box = halo_inner(cells, width)
    call doubles%make(grid, box, storage_size(a)/8)
    call singles%make(grid, box, storage_size(single)/8)
    do k = 1 - width, cells + width
      do j = 1 - width, cells + width
        do i = 1 - width, cells + width
          a(i, j, k) = merge(number_of(i, j, k), 0, is_inner(i, j, k))
          single(i, j, k) = merge(mod(number_of(i, j, k), 4096), 0, is_inner(i, j, k))
        end do
      end do
    end do
    b = -a

    call doubles%run(a, b)
    call singles%run(single)

    wrong = 0
    do k = 1 - width, cells + width
      do j = 1 - width, cells + width
        do i = 1 - width, cells + width
          if (a(i, j, k) /= number_of(i, j, k)) wrong = wrong + 1
          if (b(1 + i - (1 - width), 1 + j - (1 - width), 1 + k - (1 - width)) /= -a(i, j, k)) wrong = wrong + 1
          if (single(i, j, k) /= mod(number_of(i, j, k), 4096)) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'every cell of three fields has its number')
    call expect(index(doubles%report(), '1 exchanges') > 0, 'the report counts exchanges')
    call doubles%self_test(2)
    call doubles%end()
    call singles%end()
  end subroutine

  subroutine split_exchange_of_integers()
    integer(int32), target :: a(1 - width:cells + width, 1 - width:cells + width, 1 - width:cells + width)
    type(halo_exchange) :: halos
    type(halo_axis) :: box(3)
    logical :: is_right
    integer :: i, j, k

    box = halo_inner(cells, width)
    call halos%make(grid, box, storage_size(a)/8)
    do k = 1 - width, cells + width
      do j = 1 - width, cells + width
        do i = 1 - width, cells + width
          a(i, j, k) = merge(number_of(i, j, k), 0, is_inner(i, j, k))
        end do
      end do
    end do

    call halos%start([c_loc(a)])
    do while (.not. halos%test())
    end do
    call halos%wait()

    is_right = .true.
    do k = 1 - width, cells + width
      do j = 1 - width, cells + width
        do i = 1 - width, cells + width
          is_right = is_right .and. a(i, j, k) == number_of(i, j, k)
        end do
      end do
    end do
    call expect(is_right, 'a split exchange of integers fills every halo')
    call halos%end()
  end subroutine

  subroutine shared_field()
    type(halo_field) :: memory
    type(halo_exchange) :: halos
    type(halo_axis) :: box(3)
    real(real64), pointer :: cell(:, :, :)
    integer :: i, j, k, wrong

    box = [halo_inner(60, width), halo_inner(cells, width), halo_inner(cells, width)]
    call memory%make(grid, box, 8)
    call expect(box(1)%length > 64, 'rows of 512 bytes are padded')
    call c_f_pointer(memory%data(), cell, int(box%length))
    call expect(all(cell == 0), 'shared memory begins with zeros')
    cell(1 + width:60 + width, 1 + width:cells + width, 1 + width:cells + width) = rank + 1
    call halos%make(grid, box, 8)
    call halos%run([memory%data()])
    wrong = 0
    do k = 1 + width, cells + width
      do j = 1 + width, cells + width
        do i = 1, width
          if (cell(i, j, k) /= grid%neighbour([-1, 0, 0]) + 1) wrong = wrong + 1
          if (cell(60 + width + i, j, k) /= grid%neighbour([1, 0, 0]) + 1) wrong = wrong + 1
        end do
      end do
    end do
    call expect(wrong == 0, 'halos of shared memory hold the neighbours'' ranks')
    call halos%end()
    call memory%end()
  end subroutine

  subroutine errors_have_words()
    type(halo_exchange) :: halos
    type(halo_axis) :: box(3)
    type(halo_options), target :: options
    type(halo_grid) :: none
    integer :: stat

    box = halo_inner(cells, width)
    box(2)%first = 1
    call halos%make(grid, box, 8, stat=stat)
    call expect(stat == halo_bad_axis, 'a halo that does not fit is a bad axis')
    call expect(index(halo_error_message(), 'minus=2 does not fit below begin=1') > 0, 'it says which numbers')
    box = halo_inner(cells, width)
    call halos%make(grid, box, 8, layout=7, stat=stat)
    call expect(stat == halo_bad_argument, 'there is no layout 7')
    options%max_fields = 1
    call halos%make(grid, box, 8, options=options, stat=stat)
    call expect(stat == halo_ok, 'max_fields may be 1')
    call halos%run([c_loc(options%max_fields), c_loc(options%max_fields)], stat)
    call expect(stat == halo_too_many_fields, 'two fields are too many then')
    options%validate = halo_validation_cells + 1
    call halos%make(grid, box, 8, options=options, stat=stat)
    call expect(stat == halo_bad_argument, 'there is no level 4')
    options%validate = halo_validation_cells
    options%patience_s = -1
    call halos%make(grid, box, 8, options=options, stat=stat)
    call expect(stat == halo_bad_argument, 'seconds are not negative')
    options%patience_s = 0.5d0
    call halos%make(grid, box, 8, options=options, stat=stat, made_at='fortran_test.f90')
    call expect(stat == halo_ok, 'half a second is some patience')
    call halos%end()
    call none%make(MPI_COMM_WORLD, dims=[7777], periodic=[.false.], stat=stat)
    call expect(stat == halo_bad_grid, 'there are not so many ranks')
  end subroutine

  subroutine sizes_and_kinds_are_checked()
    type(halo_exchange) :: halos, none
    type(halo_field) :: memory
    type(halo_grid) :: other
    type(halo_axis) :: box(3), box_of_two(2)
    integer, parameter :: length = cells + 2*width
    real(real64) :: right(length, length, length), small(length, length, length - 1), flat(length, length)
    real(real32) :: single(length, length, length)
    logical :: is_over
    integer :: stat, someone

    box = halo_inner(cells, width)
    right = 0
    small = 0
    flat = 0
    single = 0
    call halos%make(grid, box, 8)
    call halos%run(right, small, stat=stat)
    call expect(stat == halo_bad_argument, 'an array that is too small is refused')
    call expect(index(halo_error_message(), 'array 2 is 9x9x8 of 8 bytes each') > 0, 'it says which array')
    call expect(index(halo_error_message(), 'made for 9x9x9 of 8') > 0, 'it says what would do')
    call halos%run(flat, stat=stat)
    call expect(stat == halo_bad_argument, 'an array of two dimensions is refused')
    call halos%run(single, stat=stat)
    call expect(stat == halo_bad_argument, 'an array of another kind is refused')
    call halos%run(right, stat=stat)
    call expect(stat == halo_ok, 'the right array still travels')
    call halos%end()

    box_of_two = halo_inner(cells, width)
    call halos%make(grid, box_of_two, 8, stat=stat)
    call expect(stat == halo_bad_argument, 'a box has as many axes as the grid has dimensions')
    call expect(halo_error_message() == 'box has 2 entries, the grid 3 dimensions', 'it says both numbers')
    call memory%make(grid, box_of_two, 8, stat=stat)
    call expect(stat == halo_bad_argument, 'that of a shared field, too')
    call other%make(MPI_COMM_WORLD, dims=[0, 0], periodic=[.true.], stat=stat)
    call expect(stat == halo_bad_argument, 'periodic has as many entries as dims')
    call other%make(MPI_COMM_WORLD, dims=[0, 0], periodic=[.true., .true.], maps_to=[1, 2, 3], stat=stat)
    call expect(stat == halo_bad_argument, 'maps_to has as many entries as dims')
    call other%make(MPI_COMM_WORLD, dims=[1, 1, 1, 1, 0], periodic=spread(.true., 1, 5), stat=stat)
    call expect(stat == halo_bad_argument, 'a grid has no five dimensions')
    call halos%make(other, spread(halo_inner(cells, width), 1, 5), 8, stat=stat)
    call expect(halo_error_message() == 'box has 5 entries, the grid 0 dimensions', 'nor has a box')
    someone = grid%neighbour([1, 0], stat)
    call expect(stat == halo_bad_argument .and. someone == -1, 'towards has as many entries, too')
    is_over = none%test(stat)
    call expect(stat == halo_bad_argument .and. .not. is_over, 'what was not made is not over')
    call expect(index(halo_error_message(), 'exchange is a null pointer') > 0, 'it is C that says so')
  end subroutine

end program
