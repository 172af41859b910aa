! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Functions of weft/halo.h, as module weft_halo calls them.
module weft_halo_c
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  private :: c_int, c_int64_t, c_ptr, c_size_t

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
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: grid, box
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
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: grid, box, options
      integer(c_int), value :: layout
      integer(c_int64_t), value :: element_bytes
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

end module
