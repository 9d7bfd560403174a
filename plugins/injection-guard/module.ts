/**
 * injection-guard: flags texts that try to give a model orders: to ignore its instructions, to reveal them, to play a role without
 * rules, to carry the conversation out. A heuristic: words near each other, read as a model reads them, in encodings as well.
 */
import { flagged } from '../shared/abi';
import { decodedAt, decodedLength, nextEncoded } from './encoded';
import { scan } from './scan';
import { see } from './visible';
import { learnLists } from './words';

export { alloc, get_result_len, get_result_ptr } from '../shared/abi';

/** Encodings within encodings that are read. */
const deepest = 3;

export function check(content: i32, contentLength: i32, _metadata: i32, _metadataLength: i32): i32 {
  learnLists();
  const said = read(<usize>content, contentLength, 0);
  return said.length > 0 ? flagged(`the text ${said}`) : 0;
}

function read(at: usize, length: i32, depth: i32): string {
  see(at, length);
  const said = scan(depth > 0);
  if (said.length > 0) return depth === 0 ? said : `${said}, in an encoding`;
  if (depth === deepest) return '';
  for (let from = nextEncoded(at, length, 0); from >= 0; from = nextEncoded(at, length, from)) {
    const inner = read(decodedAt, decodedLength, depth + 1);
    if (inner.length > 0) return inner;
  }
  return '';
}
