/**
 * Effects of an HTTP call. Its URL is parsed as browsers and clients parse it (WHATWG), and its method comes from the
 * tool or the parameters. Rules match the host that the call connects to. URLs that clients parse differently are
 * unclear.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type Address, readAddress } from './http/address.ts';
import { plainParameters, requestFields } from './http/fields.ts';
import { addedQuery, parameterDoubts, urlKeys } from './http/parameters.ts';
import type { EffectReader, Effects } from './ports.ts';

const readers = new Set(['get', 'head', 'options', 'trace']);
const methods = new Set([...readers, 'post', 'put', 'patch', 'delete', 'connect']);
/** Tools that take the method from a parameter. Without that parameter, they read. */
const carriers = new Set([
  'request',
  'fetch',
  'call',
  'send',
  'http_request',
  'http',
  'curl',
  'url',
  'fetch_url',
  'download',
  'web_fetch',
]);

/** Reads calls of protocol `http`, and tools of other protocols that fetch a URL. Never throws. */
export const httpEffects: EffectReader = (call) => {
  try {
    return effectsOf({ ...call, parameters: plainParameters(call.parameters) });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { parts: [], carrier: false, unclear: `the request could not be read: ${why}` };
  }
};

function effectsOf(call: ToolCall): Effects {
  const unclear = new Set<string>();
  if (isOperation(call)) return ofOperation(call, unclear);
  for (const doubt of parameterDoubts(call)) unclear.add(doubt);
  const query = addedQuery(call.parameters);
  if (query === undefined) unclear.add('the query parameters that the call adds cannot be read');
  const texts = addressesOf(call);
  const addresses = (texts.length === 0 ? [''] : texts).map((text) => readAddress(withQuery(text, query ?? '')));
  for (const { doubts } of addresses) for (const doubt of doubts) unclear.add(doubt);
  const targets = new Map(addresses.map((address) => [address.target, address]));
  if (targets.size > 1) unclear.add('the call names more than one address');

  const fields = requestFields(
    call.parameters,
    [...targets.values()].map((address) => address.query),
  );
  for (const doubt of fields.doubts) unclear.add(doubt);
  const verbs = methodsOf(call, fields.methods, unclear);
  // A server may accept a mutation sent with GET.
  if (fields.mutates && verbs.every((verb) => readers.has(verb))) verbs.push('post');
  const hosts = [...targets.values()].map(({ host }) => host);
  if (fields.hosts.some((host) => !hosts.includes(host.toLowerCase().replace(/:\d+$/, ''))))
    unclear.add('a header names a different host than the address');
  const parts = [...targets.values()].flatMap((address) => verbs.map((method) => partOf(call, address, method)));
  return {
    parts,
    carrier: isCarrier(call) && [...targets.values()].some(({ host, path }) => host !== '' || path !== ''),
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

const withQuery = (address: string, query: string): string => {
  if (query === '') return address;
  const [plain = ''] = address.split('#');
  return `${plain}${plain.includes('?') ? '&' : '?'}${query}`;
};

/** Checks for a service operation by name (`billing.refund`), whose words do not show what it sends. */
const isOperation = (call: ToolCall): boolean =>
  operationOf(call).every((word) => !methods.has(word) && !carriers.has(word)) && call.parameters.method === undefined;

/** Returns the effects of a service operation, which has no parts. Any URLs in its parameters must be unambiguous. */
function ofOperation(call: ToolCall, unclear: Set<string>): Effects {
  const urls = addressesOf(call).filter((text) => text.includes('://'));
  for (const url of urls) for (const doubt of readAddress(url).doubts) unclear.add(doubt);
  return { parts: [], carrier: false, ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }) };
}

/** Returns the words in the last segment of a tool's name. */
function operationOf({ tool }: ToolCall): string[] {
  const folded = foldCase(tool).trim();
  const operation = folded.slice(folded.search(/[^./:]*$/));
  return [operation, ...operation.split(/[_-]/)];
}

/** Checks for a tool that only sends the request. */
const isCarrier = ({ protocol, tool }: ToolCall): boolean =>
  foldCase(protocol).trim() === 'http' ||
  /(?:^|[./:])(?:(?:web_?)?fetch(?:_url)?|http(?:_(?:request|get|head|options))?|curl)$/.test(foldCase(tool).trim());

const partOf = (call: ToolCall, { target, scheme, host, port, path, query }: Address, method: string): ToolCall => ({
  protocol: 'http',
  tool: `http.${method}`,
  target,
  capability: capabilityOf(method),
  parameters: { ...withoutAddress(call.parameters), method, scheme, host, port, path, query },
});

/** Returns `read` for `get`, `delete` for `delete`, and `execute` for an unknown method. */
const capabilityOf = (method: string): string => {
  if (readers.has(method)) return 'read';
  if (method === 'delete') return 'delete';
  return methods.has(method) && method !== 'connect' ? 'write' : 'execute';
};

/** Removes the raw address, because the part uses only the normalised one. */
const withoutAddress = (parameters: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parameters).filter(([key]) => !urlKeys.includes(key)));

function addressesOf(call: ToolCall): string[] {
  const given = urlKeys.flatMap((key) => {
    const value = Object.hasOwn(call.parameters, key) ? call.parameters[key] : undefined;
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  // If a parameter holds the address, a target without a scheme is a label, such as a service or a purpose.
  const target =
    call.target.trim() === '' || (given.length > 0 && !/^[^/]*:|^[/\\]{2}/.test(call.target)) ? [] : [call.target];
  return [...target, ...given];
}

/** Returns every method that a server may apply: from the tool, the parameter and any overrides. */
function methodsOf(call: ToolCall, overriding: readonly string[], unclear: Set<string>): string[] {
  const [operation = '', ...words] = operationOf(call);
  const byTool = words.find((word) => methods.has(word));
  const parameter = call.parameters.method;
  const found = new Set<string>();
  if (byTool !== undefined) found.add(byTool);
  if (typeof parameter === 'string') found.add(methodWord(parameter, unclear));
  else if (parameter !== undefined) unclear.add('the method is not a string');
  if (found.size > 1) unclear.add('the tool name and its parameter "method" differ');
  if (found.size === 0) {
    const sends = ['body', 'json', 'data', 'form'].some((key) => call.parameters[key] !== undefined);
    if (!carriers.has(operation)) unclear.add(`"${operation}" is not an HTTP method`);
    found.add(sends ? 'post' : 'get');
  }
  for (const value of overriding) found.add(methodWord(value, unclear));
  return [...found];
}

function methodWord(text: string, unclear: Set<string>): string {
  if (/^[A-Za-z]+$/.test(text)) return text.toLowerCase();
  unclear.add('the method is not a word');
  return 'unknown';
}
