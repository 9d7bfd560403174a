/**
 * Arguments that name a function (`function: 'deleteUser'`) or a service endpoint (`/users/1/delete`) that the tool
 * calls.
 */

import type { Capability } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { decodePercent } from '#core/text/matching/canonical-text.ts';
import { changeOfWord, classifyTool, moreSevere } from './classify-tool.ts';
import { hasMutation } from './graphql-text.ts';
import { wordsIn } from './tool-words.ts';
import { changingVerbs, nounsAndVerbs } from './verbs.ts';

type Change = Exclude<Capability, 'read'>;
const calledKeys = wordSet(`
  callable entry_point entrypoint fn func function function_name functionname macro macro_name method_name proc procedure
  procedure_name routine sproc stored_proc stored_procedure subroutine tool tool_name toolname tools_to_call`);

/**
 * Words in the names of tools that inspect programs, their runs or their output. Such tools search for a function but
 * do not call it.
 */
const aboutFunctions = wordSet(`
  alarms alert alerts alias aliases call callee callees caller callers calls code config configuration coverage dashboard
  definition definitions dependencies doc docs documentation error errors event events executions function functions graph
  help hierarchy history implementation implementations incidents info invocations lambda lambdas log logs metric metrics outline
  profile reference references runs schema signature source spans stats status symbol symbols test tests tool tools trace traces usage
  usages versions describe explain grep`);

/** Functions that only compute. */
const computing = wordSet(`
  abs acos asin atan average avg ceil cos count exp first floor last len length log lower max mean median min mode mod percentile pow
  rand rank round sin sqrt stddev stdev substr substring sum tan trim truncation upper variance`);

/**
 * Returns the change made by the function that an argument names. Undefined if the argument does not name a function,
 * or names one that only reads.
 */
export function calledBy(tool: readonly string[], key: readonly string[], value: string): Change | undefined {
  if (!calledKeys.has(key.join('_')) || tool.some((word) => aboutFunctions.has(word))) return undefined;
  const name = value.trim();
  if (computing.has(name.toLowerCase())) return undefined;
  const { capability } = classifyTool(name.replace(/\(.*$/s, ''));
  return capability === 'read' ? undefined : capability;
}

const endpointKeys = wordSet('api_path api_route endpoint endpoints request_path resource_path rest_path route');
const addressKeys = wordSet('href link path resource uri url');
/** Words in the names of tools that send a request to a service endpoint. */
const requesting = wordSet('api apis endpoint endpoints graphql http odata request requests rest');
const identifier = /^(?:\d+|[0-9a-f]{8,}|[0-9a-f-]{36}|[a-z]{1,5}_[A-Za-z0-9]+|[{<:].*|@?me|self|current|all|\*)$/i;

/**
 * Returns what an endpoint changes, based on the segments of its path. On a web page, segments may also be titles, so
 * only a single verb after an identifier counts.
 * @param tool words of the tool's name.
 */
export function changeOfEndpoint(tool: readonly string[], key: readonly string[], value: string): Change | undefined {
  const named = endpointKeys.has(key.join('_')) || endpointKeys.has(key.at(-1) ?? '');
  const web = /^\s*https?:[\\/]{2}/i.test(value);
  const isEndpoint = named || (addressKeys.has(key.at(-1) ?? '') && tool.some((word) => requesting.has(word)));
  if (!isEndpoint && !web) return undefined;
  const [address = '', query = ''] = value.trim().split(/[?#]/, 2);
  const steps = stepsOf(web ? address.replace(/^[^:]*:[\\/]+[^\\/]*/, '') : address);
  let gravest: Change | undefined;
  const found = (change: Change | undefined) => {
    if (change && (!gravest || moreSevere(change, gravest) !== gravest)) gravest = change;
  };
  steps.forEach((step, at) => {
    const words = wordsIn(step);
    const behind = identifier.test(steps[at - 1] ?? '') || step.startsWith(':');
    if (behind && words.length === 1) found(changeOfWord(words[0]!) ?? nounsAndVerbs.get(words[0]!));
    else if (isEndpoint) found(changingVerbs.get(words[0] ?? ''));
  });
  for (const [name, said] of new URLSearchParams(query)) {
    found(changeOfQuery(wordsIn(name), said));
    if (hasMutation(said)) found('write');
  }
  return gravest;
}

/** Returns the decoded segments of a path. `items:purge` counts as two. */
function stepsOf(path: string): string[] {
  let plain = path;
  for (let times = 0; times < 3; times++) plain = decodePercent(plain);
  return plain
    .split(/[\\/]|(?=:)/)
    .filter((step) => step !== '' && step !== '.')
    .slice(0, 256);
}

const queryKeys = wordSet('action cmd command do func function http_method method op operation');

function changeOfQuery(key: readonly string[], value: string): Change | undefined {
  if (!queryKeys.has(key.join('_')) && !key.includes('override')) return undefined;
  const { capability, changes } = classifyTool(value);
  return changes && capability !== 'read' ? capability : undefined;
}
