/**
 * The filter ABI for AssemblyScript: memory for the host's bytes, and the result of a check. Described in ../README.md.
 */

let resultAt: usize = 0;
let resultLength: i32 = 0;

/** Allocates memory. Every call gets a fresh instance, so memory is never freed; the call traps when none is left. */
export function alloc(size: i32): i32 {
  return <i32>heap.alloc(<usize>max(size, 1));
}

export function get_result_ptr(): i32 {
  return <i32>resultAt;
}

export function get_result_len(): i32 {
  return resultLength;
}

/** Sets the result. The message is ASCII without quotes and backslashes, and never contains any of the content. */
export function flagged(message: string): i32 {
  const json = `{"action":"block","message":"${message}"}`;
  const bytes = String.UTF8.encode(json);
  resultAt = changetype<usize>(bytes);
  resultLength = bytes.byteLength;
  return 1;
}
