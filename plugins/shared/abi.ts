/** The filter ABI for AssemblyScript: room for the host's bytes, and the result of a check. ../README.md describes it. */

let resultAt: usize = 0;
let resultLength: i32 = 0;

/** Every call gets a fresh instance, so memory is only ever handed out; it traps when there is none left. */
export function alloc(size: i32): i32 {
  return <i32>heap.alloc(<usize>max(size, 1));
}

export function get_result_ptr(): i32 {
  return <i32>resultAt;
}

export function get_result_len(): i32 {
  return resultLength;
}

/** Sets the result. The message is ASCII without quotes and backslashes, and never a part of the content. */
export function flagged(message: string): i32 {
  const json = `{"action":"block","message":"${message}"}`;
  const bytes = String.UTF8.encode(json);
  resultAt = changetype<usize>(bytes);
  resultLength = bytes.byteLength;
  return 1;
}
