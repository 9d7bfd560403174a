/**
 * Parses each line of a batch as a chat call, so that it is checked, filtered and estimated like one [batches.governed].
 */
import { chatJson, chatSizes } from '#core/contracts/chat.ts';
import { type BatchEndpoint, batchEndpoints } from '#core/contracts/stored-batch.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { type Json, type JsonObject, parseStrict } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import { estimateTokens } from '#core/models/dialects/count-tokens.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { endpointBody, readEndpointRequest } from '#core/models/dialects/endpoint-request.ts';

interface BatchLine {
  /** Line number, counted from 1 as in editors. */
  readonly number: number;
  readonly customId: string;
  /** The call as a chat request. */
  readonly body: JsonObject;
}

/** File of calls to one model at one endpoint. */
export interface BatchFile {
  readonly endpoint: BatchEndpoint;
  readonly model: string;
  readonly lines: readonly BatchLine[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Maximum number of lines in OpenAI's API. */
const maxLines = 50_000;
/** Pattern for ids, which are sent to the provider and returned without being filtered. */
const idPattern = /^[\w.:/-]{1,128}$/;
const members: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);
/** Number of lines after which other requests get a turn. */
export const linesInTurn = 64;

/**
 * Parses a file of calls.
 * @param turn gives other requests a turn.
 * @throws GatewayError `invalid_request` that names the line.
 */
export async function readBatchFile(text: string, turn: () => Promise<void>): Promise<BatchFile> {
  const lines: BatchLine[] = [];
  const ids = new Map<string, number>();
  let first: { readonly endpoint: BatchEndpoint; readonly model: string } | undefined;
  let [inputTokens, outputTokens] = [0, 0];
  for (const [at, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const number = at + 1;
    if (lines.length === maxLines)
      throw refusedLine(number, `the file has more than ${maxLines} calls, the maximum for a batch`);
    const call = inLine(number, () => parseLine(written));
    const before = ids.get(call.customId);
    if (before !== undefined)
      throw refusedLine(number, `custom_id is also used in line ${before}; each line needs its own`);
    ids.set(call.customId, number);
    first ??= call;
    if (call.endpoint !== first.endpoint)
      throw refusedLine(number, `url is not ${first.endpoint}; all calls in a batch go to the same endpoint`);
    if (call.model !== first.model)
      throw refusedLine(
        number,
        `model is not ${JSON.stringify(first.model)}; all calls in a batch go to the same model`,
      );
    inputTokens += call.inputTokens;
    outputTokens += call.outputTokens;
    lines.push({ number, customId: call.customId, body: call.body });
    if (lines.length % linesInTurn === 0) await turn();
  }
  if (!first) throw invalidRequest('The file has no lines; send JSON Lines, one call per line.', { param: 'file' });
  if (!Number.isSafeInteger(inputTokens + outputTokens))
    throw invalidRequest('The calls in the file may use more tokens than can be counted; send fewer calls per file.');
  return { ...first, lines, inputTokens, outputTokens };
}

/** Builds the provider's file from the filtered requests. */
export const writeBatchFile = (
  { endpoint, lines }: BatchFile,
  bodies: readonly JsonObject[],
  resolvedModel: string,
): string =>
  lines
    .map(({ customId }, at) => {
      const operation = batchEndpoints[endpoint];
      const body = operation === 'chat.completions' ? bodies[at]! : endpointBody(operation, bodies[at]!);
      const line = { custom_id: customId, method: 'POST', url: endpoint, body: { ...body, model: resolvedModel } };
      return `${JSON.stringify(line)}\n`;
    })
    .join('');

function parseLine(written: string) {
  const line = parseStrict(written, chatJson);
  if (!isObject(line)) throw invalidRequest('It is not a JSON object.');
  const stranger = Object.keys(line).find((name) => !members.has(name));
  if (stranger !== undefined)
    throw invalidRequest(
      `${JSON.stringify(stranger.slice(0, 64))} is not a member; allowed: ${[...members].join(', ')}.`,
    );
  const { custom_id, method, url, body } = line;
  if (typeof custom_id !== 'string' || !idPattern.test(custom_id))
    throw invalidRequest('custom_id has to be 1 to 128 letters, digits and _ . : / -');
  if (method !== 'POST') throw invalidRequest(`method is ${quoteShort(method)}; allowed: "POST".`);
  if (typeof url !== 'string' || !Object.hasOwn(batchEndpoints, url))
    throw invalidRequest(`url is ${quoteShort(url)}; allowed: ${Object.keys(batchEndpoints).join(', ')}.`);
  if (!isObject(body)) throw invalidRequest('body is not an object; it must be a request to the endpoint.');
  const endpoint = url as BatchEndpoint;
  const request = requestOf(endpoint, body);
  const choices = typeof request.n === 'number' ? request.n : 1;
  const wire = dialects.openai;
  return {
    endpoint,
    customId: custom_id,
    body: request,
    model: request.model as string,
    inputTokens: estimateTokens('openai', request),
    outputTokens: (wire.maxTokens(request) ?? chatSizes.defaultMaxTokens) * choices,
  };
}

/** Returns the call as a chat request. @throws GatewayError with the same errors as the endpoint itself */
function requestOf(endpoint: BatchEndpoint, body: JsonObject): JsonObject {
  if (body.stream !== undefined && body.stream !== null && body.stream !== false)
    throw invalidRequest('stream requests a stream; a batch returns whole responses, so leave it out.');
  if (surchargeOf(body) > 1)
    throw invalidRequest(
      'The call asks for a tier, mode or region that costs more than the list price; a batch has none, so leave it out.',
    );
  const operation = batchEndpoints[endpoint];
  const request = operation === 'chat.completions' ? body : readEndpointRequest(operation, body);
  dialects.openai.checkRequest(request);
  return request;
}

const quoteShort = (value: Json | undefined): string =>
  value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);

const refusedLine = (line: number, found: string): GatewayError => invalidRequest(`Line ${line}: ${found}.`, { line });

/** Adds the line number to an error in the caller's input. */
export function atLine(line: number, thrown: unknown): GatewayError {
  const fault = asGatewayError(thrown);
  if (fault.kind.status >= 500) return fault;
  const { code, message, data, cause } = fault;
  return new GatewayError(code, `Line ${line}: ${message}`, { data: { ...data, line }, cause });
}

function inLine<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw atLine(line, thrown);
  }
}
