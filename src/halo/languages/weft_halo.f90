! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Halo exchange of fields of one type and shape in Fortran 2008, over weft/halo.h.
!
! Communicators are handles of `use mpi`; with `use mpi_f08` pass comm%MPI_VAL. Calls with a grid are
! collective over it, in one order on all ranks. Each that can fail takes `stat`, which becomes halo_ok
! or another code; without it, a failure ends the program with the message of halo_error_message().
module weft_halo
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_int64_t, &
       c_loc, c_null_char, c_null_ptr, c_ptr
  use weft_halo_c
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private

  public :: halo_axis, halo_options, halo_grid, halo_exchange, halo_field
  public :: halo_inner, halo_error_message

  integer, parameter, public :: halo_ok = 0
  integer, parameter, public :: halo_bad_axis = 1
  integer, parameter, public :: halo_bad_grid = 2
  integer, parameter, public :: halo_bad_field = 3
  integer, parameter, public :: halo_narrow_inner = 4
  integer, parameter, public :: halo_ranks_disagree = 5
  integer, parameter, public :: halo_too_many_fields = 6
  integer, parameter, public :: halo_wrong_state = 7
  integer, parameter, public :: halo_unsupported = 8
  integer, parameter, public :: halo_mpi_call = 9
  integer, parameter, public :: halo_validation_failed = 10
  integer, parameter, public :: halo_other_rank_refused = 11
  integer, parameter, public :: halo_bad_file = 12
  integer, parameter, public :: halo_device_call = 13
  integer, parameter, public :: halo_bad_argument = 100
  integer, parameter, public :: halo_failed = 101

  ! Fortran's order of cells (the first dimension is contiguous), and C's.
  integer, parameter, public :: halo_right = 0
  integer, parameter, public :: halo_left = 1

  integer, parameter, public :: halo_packing_automatic = 0
  integer, parameter, public :: halo_packing_loops = 1
  integer, parameter, public :: halo_packing_mpi_pack = 2
  integer, parameter, public :: halo_packing_mpi_datatype = 3
  integer, parameter, public :: halo_packing_direct = 4
  integer, parameter, public :: halo_schedule_automatic = 0
  integer, parameter, public :: halo_schedule_bulk = 1
  integer, parameter, public :: halo_schedule_staged = 2
  integer, parameter, public :: halo_faces = 0
  integer, parameter, public :: halo_faces_edges = 1
  integer, parameter, public :: halo_all = 2
  integer, parameter, public :: halo_transport_automatic = 0
  integer, parameter, public :: halo_transport_messages = 1
  integer, parameter, public :: halo_validation_automatic = -1  ! what WEFT_HALO_VALIDATE says, else 1
  integer, parameter, public :: halo_validation_off = 0
  integer, parameter, public :: halo_validation_descriptors = 1
  integer, parameter, public :: halo_validation_check_sums = 2
  integer, parameter, public :: halo_validation_cells = 3

  ! One dimension of a field, in cells: `first` and `last`, both inclusive and counted from 0, are the
  ! inner region, with `minus` halo cells right below and `plus` right above it. halo_inner makes one.
  type, bind(c) :: halo_axis
    integer(c_int64_t) :: minus = 0
    integer(c_int64_t) :: plus = 0
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: last = 0
    integer(c_int64_t) :: length = 1
  end type

  ! Choices with the same result.
  type, bind(c) :: halo_options
    integer(c_int) :: packing = halo_packing_automatic
    integer(c_int) :: schedule = halo_schedule_automatic
    integer(c_int) :: directions = halo_all
    integer(c_int) :: transport = halo_transport_automatic
    integer(c_int64_t) :: max_fields = 0
    integer(c_int) :: validate = halo_validation_automatic
    ! After so many seconds in one exchange, a message on standard error says for which ranks it
    ! waits; 0: never.
    real(c_double) :: patience_s = 30
    type(c_ptr) :: made_at = c_null_ptr  ! `make` sets it
  end type

  ! Processes in a grid of 1 to 4 dimensions. Call `end` before MPI_Finalize.
  type :: halo_grid
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: num_dims = 0
  contains
    procedure :: make => grid_make
    procedure :: rank => grid_rank
    procedure :: dims => grid_dims
    procedure :: coords => grid_coords
    procedure :: neighbour => grid_neighbour
    procedure :: end => grid_end
  end type

  ! Memory for a field that ranks of a node share, so that its halos are one copy.
  type :: halo_field
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: make => field_make
    procedure :: data => field_data
    procedure :: end => field_end
  end type

  ! Fills halos of fields of one type and shape.
  type :: halo_exchange
    private
    type(c_ptr) :: handle = c_null_ptr
    ! What arrays have to be.
    integer :: num_dims = 0, element_bytes = 0
    integer(c_int64_t) :: lengths(4) = 1
  contains
    procedure :: make => exchange_make
    procedure, private :: run_pointers, run_r64_1, run_r64_2, run_r64_3, run_r64_4, run_r32_1, run_r32_2, &
         run_r32_3, run_r32_4
    ! Exchanges up to three arrays, or any number of c_loc(array), whose shapes nothing checks.
    generic :: run => run_pointers, run_r64_1, run_r64_2, run_r64_3, run_r64_4, run_r32_1, run_r32_2, &
         run_r32_3, run_r32_4
    ! The same in two: until `wait` returns, halos must not be read, nor cells near a boundary written.
    procedure :: start => exchange_start
    procedure :: wait => exchange_wait
    procedure :: test => exchange_test
    procedure :: self_test => exchange_self_test
    procedure :: report => exchange_report
    procedure :: end => exchange_end
  end type

  ! Arrays as `run` was given them, and why they cannot be exchanged.
  type :: array_list
    type(c_ptr) :: cells(3) = c_null_ptr
    integer :: num_fields = 0
    character(:), allocatable :: trouble
  end type

  ! What this module refused itself, if that was the last failure.
  character(:), allocatable, save :: refused

contains

  ! `cells` inner cells with so many halo cells on both sides.
  pure function halo_inner(cells, minus, plus) result(made)
    integer, intent(in) :: cells, minus
    integer, intent(in), optional :: plus
    type(halo_axis) :: made
    integer :: above

    above = minus
    if (present(plus)) above = plus
    made%minus = minus
    made%plus = above
    made%first = minus
    made%last = minus + cells - 1
    made%length = minus + cells + above
  end function

  function halo_error_message() result(text)
    character(:), allocatable :: text

    if (allocated(refused)) then
      text = refused
    else
      text = text_of(c_message())
    end if
  end function

  function text_of(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: n

    call c_f_pointer(from, letters, [c_strlen(from)])
    allocate (character(size(letters)) :: text)
    do n = 1, size(letters)
      text(n:n) = letters(n)
    end do
  end function

  subroutine tell(code, stat)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat

    if (code /= halo_ok .and. allocated(refused)) deallocate (refused)
    call end_with(code, stat)
  end subroutine

  subroutine refuse(why, stat)
    character(*), intent(in) :: why
    integer, intent(out), optional :: stat

    refused = why
    call end_with(int(halo_bad_argument, c_int), stat)
  end subroutine

  subroutine end_with(code, stat)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat

    if (present(stat)) then
      stat = code
    else if (code /= halo_ok) then
      write (error_unit, '(a)') halo_error_message()
      error stop 1
    end if
  end subroutine

  ! "102x102"
  pure function crossed(numbers) result(text)
    integer(c_int64_t), intent(in) :: numbers(:)
    character(:), allocatable :: text
    character(20) :: digits
    integer :: n

    text = ''
    do n = 1, size(numbers)
      write (digits, '(i0)') numbers(n)
      if (n > 1) text = text//'x'
      text = text//trim(digits)
    end do
  end function

  ! "box has 2 entries, the grid 3 dimensions"; empty: as many.
  pure function another_number(name, entries, num_dims) result(text)
    character(*), intent(in) :: name
    integer, intent(in) :: entries, num_dims
    character(:), allocatable :: text

    text = ''
    if (entries /= num_dims) text = name//' has '//crossed([int(entries, c_int64_t)])// &
        ' entries, the grid '//crossed([int(num_dims, c_int64_t)])//' dimensions'
  end function

  ! dims: processes along each dimension, 0 where weft may choose. maps_to(d): the grid dimension,
  ! counted from 1, that data dimension d lies along.
  subroutine grid_make(self, comm, dims, periodic, maps_to, stat)
    class(halo_grid), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(in) :: dims(:)
    logical, intent(in) :: periodic(:)
    integer, intent(in), optional :: maps_to(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: order(size(dims)), is_periodic(size(dims)), code
    character(:), allocatable :: why
    integer :: d

    why = another_number('periodic', size(periodic), size(dims))
    if (present(maps_to) .and. why == '') why = another_number('maps_to', size(maps_to), size(dims))
    call self%end()
    if (why /= '') then
      call refuse(why, stat)
      return
    end if
    order = [(int(d - 1, c_int), d=1, size(dims))]
    if (present(maps_to)) order = int(maps_to - 1, c_int)
    is_periodic = merge(1_c_int, 0_c_int, periodic)
    code = c_grid_create(int(comm, c_int), int(size(dims), c_int), int(dims, c_int), is_periodic, order, &
         self%handle)
    if (code == halo_ok) self%num_dims = size(dims)
    call tell(code, stat)
  end subroutine

  function grid_rank(self, stat) result(rank)
    class(halo_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: rank
    integer(c_int) :: found

    found = -1
    call tell(c_grid_rank(self%handle, found), stat)
    rank = found
  end function

  function grid_dims(self, stat) result(dims)
    class(halo_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: dims(self%num_dims)
    integer(c_int) :: found(self%num_dims)

    found = -1
    call tell(c_grid_dims(self%handle, found), stat)
    dims = found
  end function

  ! Counted from 0, as MPI does.
  function grid_coords(self, stat) result(coords)
    class(halo_grid), intent(in) :: self
    integer, intent(out), optional :: stat
    integer :: coords(self%num_dims)
    integer(c_int) :: found(self%num_dims)

    found = -1
    call tell(c_grid_coords(self%handle, found), stat)
    coords = found
  end function

  ! -1 where nobody is.
  function grid_neighbour(self, towards, stat) result(rank)
    class(halo_grid), intent(in) :: self
    integer, intent(in) :: towards(:)
    integer, intent(out), optional :: stat
    integer :: rank
    integer(c_int) :: found
    character(:), allocatable :: why

    found = -1
    why = another_number('towards', size(towards), self%num_dims)
    if (why /= '') then
      call refuse(why, stat)
    else
      call tell(c_grid_neighbour(self%handle, int(towards, c_int), found), stat)
    end if
    rank = found
  end function

  subroutine grid_end(self)
    class(halo_grid), intent(inout) :: self

    call c_grid_free(self%handle)
    self%handle = c_null_ptr
    self%num_dims = 0
  end subroutine

  ! Pads `box` where rows would lie badly in caches: exchanges are to be made with it as it is then.
  subroutine field_make(self, grid, box, element_bytes, layout, stat)
    class(halo_field), intent(inout) :: self
    type(halo_grid), intent(in) :: grid
    type(halo_axis), intent(inout) :: box(:)
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: layout
    integer, intent(out), optional :: stat
    type(halo_axis), target :: padded(size(box))
    type(c_ptr) :: cells_of
    character(:), allocatable :: why
    integer(c_int) :: order, code

    order = halo_left
    if (present(layout)) order = int(layout, c_int)
    padded = box
    why = another_number('box', size(box), grid%num_dims)
    cells_of = c_null_ptr  ! with which the call fails on all ranks
    if (why == '') cells_of = c_loc(padded)
    call self%end()
    code = c_field_create(grid%handle, cells_of, order, int(element_bytes, c_int64_t), self%handle)
    if (why /= '') then
      call refuse(why, stat)
    else
      box = padded
      call tell(code, stat)
    end if
  end subroutine

  ! For c_f_pointer, with the lengths of the box as shape.
  function field_data(self) result(cells)
    class(halo_field), intent(in) :: self
    type(c_ptr) :: cells

    cells = c_field_data(self%handle)
  end function

  subroutine field_end(self)
    class(halo_field), intent(inout) :: self

    call c_field_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! box: an axis per dimension. element_bytes: as storage_size(array) / 8. made_at: what the message
  ! about a long wait says of where that was, as 'heat.f90:12'.
  subroutine exchange_make(self, grid, box, element_bytes, layout, options, stat, made_at)
    class(halo_exchange), intent(inout) :: self
    type(halo_grid), intent(in) :: grid
    type(halo_axis), intent(in) :: box(:)
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: layout
    type(halo_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(in), optional :: made_at
    type(halo_options), target :: chosen
    character(c_char), allocatable, target :: place(:)
    type(halo_axis), target :: axes(size(box))
    type(c_ptr) :: cells_of
    character(:), allocatable :: why
    integer(c_int) :: order, code
    integer :: n

    if (present(options)) chosen = options
    if (present(made_at)) then
      place = [(made_at(n:n), n=1, len(made_at)), c_null_char]
      chosen%made_at = c_loc(place)
    end if
    order = halo_left
    if (present(layout)) order = int(layout, c_int)
    axes = box
    why = another_number('box', size(box), grid%num_dims)
    cells_of = c_null_ptr  ! with which the call fails on all ranks
    if (why == '') cells_of = c_loc(axes)
    call self%end()
    code = c_exchange_create(grid%handle, cells_of, order, int(element_bytes, c_int64_t), c_loc(chosen), &
         self%handle)
    if (why /= '') then
      call refuse(why, stat)
      return
    end if
    if (code == halo_ok) then
      self%num_dims = size(box)
      self%element_bytes = element_bytes
      self%lengths(:size(box)) = box%length
      if (order == halo_right) self%lengths(:size(box)) = box(size(box):1:-1)%length
    end if
    call tell(code, stat)
  end subroutine

  subroutine run_pointers(self, fields, stat)
    class(halo_exchange), intent(inout) :: self
    type(c_ptr), intent(in) :: fields(:)
    integer, intent(out), optional :: stat

    call tell(c_exchange_run(self%handle, int(size(fields), c_int), fields), stat)
  end subroutine

  subroutine run_r64_1(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:), c(:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 8)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 8)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 8)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r64_2(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:), c(:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 8)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 8)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 8)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r64_3(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:,:), c(:,:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 8)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 8)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 8)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r64_4(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:,:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:,:,:), c(:,:,:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 8)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 8)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 8)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r32_1(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:), c(:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 4)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 4)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 4)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r32_2(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:), c(:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 4)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 4)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 4)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r32_3(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:,:), c(:,:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 4)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 4)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 4)
    call run_arrays(self, arrays, stat)
  end subroutine

  subroutine run_r32_4(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:,:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:,:,:), c(:,:,:,:)
    integer, intent(out), optional :: stat
    type(array_list) :: arrays

    call append(arrays, self, c_loc(a), shape(a, c_int64_t), 4)
    if (present(b)) call append(arrays, self, c_loc(b), shape(b, c_int64_t), 4)
    if (present(c)) call append(arrays, self, c_loc(c), shape(c, c_int64_t), 4)
    call run_arrays(self, arrays, stat)
  end subroutine

  ! Notes why, if the exchange was made for something else.
  subroutine append(arrays, made, cells, lengths, element_bytes)
    type(array_list), intent(inout) :: arrays
    class(halo_exchange), intent(in) :: made
    type(c_ptr), intent(in) :: cells
    integer(c_int64_t), intent(in) :: lengths(:)
    integer, intent(in) :: element_bytes
    logical :: is_right

    arrays%num_fields = arrays%num_fields + 1
    arrays%cells(arrays%num_fields) = cells
    is_right = size(lengths) == made%num_dims .and. element_bytes == made%element_bytes
    if (is_right) is_right = all(lengths == made%lengths(:size(lengths)))
    if (is_right .or. allocated(arrays%trouble)) return
    arrays%trouble = 'array '//crossed([int(arrays%num_fields, c_int64_t)])//' is '//crossed(lengths)// &
        ' of '//crossed([int(element_bytes, c_int64_t)])//' bytes each, the exchange was made for '// &
        crossed(made%lengths(:made%num_dims))//' of '//crossed([int(made%element_bytes, c_int64_t)])
  end subroutine

  subroutine run_arrays(self, arrays, stat)
    class(halo_exchange), intent(inout) :: self
    type(array_list), intent(in) :: arrays
    integer, intent(out), optional :: stat

    if (c_associated(self%handle) .and. allocated(arrays%trouble)) then
      call refuse(arrays%trouble, stat)
    else
      call self%run_pointers(arrays%cells(:arrays%num_fields), stat)
    end if
  end subroutine

  subroutine exchange_start(self, fields, stat)
    class(halo_exchange), intent(inout) :: self
    type(c_ptr), intent(in) :: fields(:)
    integer, intent(out), optional :: stat

    call tell(c_exchange_start(self%handle, int(size(fields), c_int), fields), stat)
  end subroutine

  subroutine exchange_wait(self, stat)
    class(halo_exchange), intent(inout) :: self
    integer, intent(out), optional :: stat

    call tell(c_exchange_wait(self%handle), stat)
  end subroutine

  ! Whether all halos are filled; .false. where `stat` says that it failed.
  function exchange_test(self, stat) result(is_over)
    class(halo_exchange), intent(inout) :: self
    integer, intent(out), optional :: stat
    logical :: is_over
    integer(c_int) :: found

    found = 0
    call tell(c_exchange_test(self%handle, found), stat)
    is_over = found /= 0
  end function

  ! Exchanges numbered cells and checks every one of them.
  subroutine exchange_self_test(self, num_fields, stat)
    class(halo_exchange), intent(inout) :: self
    integer, intent(in) :: num_fields
    integer, intent(out), optional :: stat

    call tell(c_exchange_self_test(self%handle, int(num_fields, c_int)), stat)
  end subroutine

  function exchange_report(self) result(text)
    class(halo_exchange), intent(in) :: self
    character(:), allocatable :: text

    text = text_of(c_exchange_report(self%handle))
  end function

  subroutine exchange_end(self)
    class(halo_exchange), intent(inout) :: self

    call c_exchange_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

end module
