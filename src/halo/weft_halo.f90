! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Halo exchange of fields of one type and shape in Fortran 2008, over weft/halo.h.
!
! Communicators are handles of `use mpi`; with `use mpi_f08` pass comm%MPI_VAL. Calls with a grid are
! collective over it, in one order on all ranks. Each takes `stat`, which becomes halo_ok or another
! code; without it, a failure ends the program with the message that halo_error_message() has.
module weft_halo
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_float, c_int, c_int64_t, &
       c_loc, c_null_ptr, c_ptr, c_size_t
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
  integer, parameter, public :: halo_bad_argument = 100

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
    integer(c_int) :: validate = -1
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
  contains
    procedure :: make => exchange_make
    procedure, private :: run_pointers, run_r64_1, run_r64_2, run_r64_3, run_r64_4, run_r32_1, run_r32_2, &
         run_r32_3, run_r32_4
    ! Exchanges up to three arrays, or any number of c_loc(array).
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

  interface
    function c_message() bind(c, name="weft_halo_error_message") result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_grid_create(comm, num_dims, dims, periodic, maps_to, made) &
         bind(c, name="weft_halo_grid_create_f") result(code)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, num_dims
      integer(c_int), intent(in) :: dims(*), periodic(*), maps_to(*)
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    subroutine c_grid_free(grid) bind(c, name="weft_halo_grid_free")
      import :: c_ptr
      type(c_ptr), value :: grid
    end subroutine
    function c_grid_rank(grid, rank) bind(c, name="weft_halo_grid_rank") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function c_grid_dims(grid, dims) bind(c, name="weft_halo_grid_dims") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: dims(*)
      integer(c_int) :: code
    end function
    function c_grid_coords(grid, coords) bind(c, name="weft_halo_grid_coords") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: coords(*)
      integer(c_int) :: code
    end function
    function c_grid_neighbour(grid, towards, rank) bind(c, name="weft_halo_grid_neighbour") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(in) :: towards(*)
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function c_field_create(grid, box, layout, element_bytes, made) &
         bind(c, name="weft_halo_field_create") result(code)
      import :: c_int, c_int64_t, c_ptr, halo_axis
      type(c_ptr), value :: grid
      type(halo_axis), intent(inout) :: box(*)
      integer(c_int), value :: layout
      integer(c_int64_t), value :: element_bytes
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    subroutine c_field_free(field) bind(c, name="weft_halo_field_free")
      import :: c_ptr
      type(c_ptr), value :: field
    end subroutine
    function c_field_data(field) bind(c, name="weft_halo_field_data") result(cells)
      import :: c_ptr
      type(c_ptr), value :: field
      type(c_ptr) :: cells
    end function
    function c_exchange_create(grid, box, layout, element_bytes, options, made) &
         bind(c, name="weft_halo_exchange_create") result(code)
      import :: c_int, c_int64_t, c_ptr, halo_axis, halo_options
      type(c_ptr), value :: grid
      type(halo_axis), intent(in) :: box(*)
      integer(c_int), value :: layout
      integer(c_int64_t), value :: element_bytes
      type(halo_options), intent(in) :: options
      type(c_ptr), intent(inout) :: made
      integer(c_int) :: code
    end function
    subroutine c_exchange_free(exchange) bind(c, name="weft_halo_exchange_free")
      import :: c_ptr
      type(c_ptr), value :: exchange
    end subroutine
    function c_exchange_run(exchange, num_fields, fields) bind(c, name="weft_halo_exchange_run") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), value :: num_fields
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int) :: code
    end function
    function c_exchange_start(exchange, num_fields, fields) &
         bind(c, name="weft_halo_exchange_start") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), value :: num_fields
      type(c_ptr), intent(in) :: fields(*)
      integer(c_int) :: code
    end function
    function c_exchange_wait(exchange) bind(c, name="weft_halo_exchange_wait") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: code
    end function
    function c_exchange_test(exchange, is_over) bind(c, name="weft_halo_exchange_test") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), intent(out) :: is_over
      integer(c_int) :: code
    end function
    function c_exchange_self_test(exchange, num_fields) &
         bind(c, name="weft_halo_exchange_self_test") result(code)
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int), value :: num_fields
      integer(c_int) :: code
    end function
    function c_exchange_report(exchange) bind(c, name="weft_halo_exchange_report") result(text)
      import :: c_ptr
      type(c_ptr), value :: exchange
      type(c_ptr) :: text
    end function
  end interface

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

    text = text_of(c_message())
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

    if (present(stat)) then
      stat = code
    else if (code /= halo_ok) then
      write (error_unit, '(a)') halo_error_message()
      error stop 1
    end if
  end subroutine

  ! dims: processes along each dimension, 0 where weft may choose. maps_to(d): the grid dimension,
  ! counted from 1, that data dimension d lies along.
  subroutine grid_make(self, comm, dims, periodic, maps_to, stat)
    class(halo_grid), intent(inout) :: self
    integer, intent(in) :: comm
    integer, intent(in) :: dims(:)
    logical, intent(in) :: periodic(:)
    integer, intent(in), optional :: maps_to(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: order(size(dims)), is_periodic(size(dims))
    integer :: d

    order = [(int(d - 1, c_int), d=1, size(dims))]
    if (present(maps_to)) order = int(maps_to - 1, c_int)
    is_periodic = merge(1_c_int, 0_c_int, periodic)
    call self%end()
    self%num_dims = size(dims)
    call tell(c_grid_create(int(comm, c_int), int(size(dims), c_int), int(dims, c_int), is_periodic, order, &
         self%handle), stat)
  end subroutine

  function grid_rank(self) result(rank)
    class(halo_grid), intent(in) :: self
    integer :: rank
    integer(c_int) :: found

    call tell(c_grid_rank(self%handle, found))
    rank = found
  end function

  function grid_dims(self) result(dims)
    class(halo_grid), intent(in) :: self
    integer :: dims(self%num_dims)
    integer(c_int) :: found(self%num_dims)

    call tell(c_grid_dims(self%handle, found))
    dims = found
  end function

  ! Counted from 0, as MPI does.
  function grid_coords(self) result(coords)
    class(halo_grid), intent(in) :: self
    integer :: coords(self%num_dims)
    integer(c_int) :: found(self%num_dims)

    call tell(c_grid_coords(self%handle, found))
    coords = found
  end function

  ! -1 where nobody is.
  function grid_neighbour(self, towards) result(rank)
    class(halo_grid), intent(in) :: self
    integer, intent(in) :: towards(:)
    integer :: rank
    integer(c_int) :: found

    call tell(c_grid_neighbour(self%handle, int(towards, c_int), found))
    rank = found
  end function

  subroutine grid_end(self)
    class(halo_grid), intent(inout) :: self

    call c_grid_free(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! Pads `box` where rows would lie badly in caches: exchanges are to be made with it as it is then.
  subroutine field_make(self, grid, box, element_bytes, layout, stat)
    class(halo_field), intent(inout) :: self
    type(halo_grid), intent(in) :: grid
    type(halo_axis), intent(inout) :: box(:)
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: layout
    integer, intent(out), optional :: stat
    integer(c_int) :: order

    order = halo_left
    if (present(layout)) order = int(layout, c_int)
    call self%end()
    call tell(c_field_create(grid%handle, box, order, int(element_bytes, c_int64_t), self%handle), stat)
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

  ! box: an axis per dimension. element_bytes: as storage_size(array) / 8.
  subroutine exchange_make(self, grid, box, element_bytes, layout, options, stat)
    class(halo_exchange), intent(inout) :: self
    type(halo_grid), intent(in) :: grid
    type(halo_axis), intent(in) :: box(:)
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: layout
    type(halo_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    type(halo_options) :: chosen
    integer(c_int) :: order

    if (present(options)) chosen = options
    order = halo_left
    if (present(layout)) order = int(layout, c_int)
    call self%end()
    call tell(c_exchange_create(grid%handle, box, order, int(element_bytes, c_int64_t), chosen, self%handle), &
         stat)
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
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r64_2(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:), c(:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r64_3(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:,:), c(:,:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r64_4(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_double), contiguous, target, intent(inout) :: a(:,:,:,:)
    real(c_double), contiguous, target, optional, intent(inout) :: b(:,:,:,:), c(:,:,:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r32_1(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:), c(:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r32_2(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:), c(:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r32_3(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:,:), c(:,:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine run_r32_4(self, a, b, c, stat)
    class(halo_exchange), intent(inout) :: self
    real(c_float), contiguous, target, intent(inout) :: a(:,:,:,:)
    real(c_float), contiguous, target, optional, intent(inout) :: b(:,:,:,:), c(:,:,:,:)
    integer, intent(out), optional :: stat
    type(c_ptr) :: fields(3)
    integer :: num_fields

    num_fields = 1
    fields(1) = c_loc(a)
    if (present(b)) call append(fields, num_fields, c_loc(b))
    if (present(c)) call append(fields, num_fields, c_loc(c))
    call self%run_pointers(fields(:num_fields), stat)
  end subroutine

  subroutine append(fields, num_fields, one)
    type(c_ptr), intent(inout) :: fields(:)
    integer, intent(inout) :: num_fields
    type(c_ptr), intent(in) :: one

    num_fields = num_fields + 1
    fields(num_fields) = one
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

  ! Whether all halos are filled.
  function exchange_test(self) result(is_over)
    class(halo_exchange), intent(inout) :: self
    logical :: is_over
    integer(c_int) :: found

    call tell(c_exchange_test(self%handle, found))
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
