/** Runs one check in one module, following the ABI's host sequence, in a worker thread. */
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import { wasmSizes } from './module.ts';

type Check = Parameters<WasmRunner['check']>[0];

/** The message sent to a worker. */
export type CheckCall = Pick<Check, 'content' | 'metadata'> & { readonly module: WebAssembly.Module };
export type CheckResult = Awaited<ReturnType<WasmRunner['check']>>;

interface Abi {
  alloc(bytes: number): number;
  check(contentAt: number, contentBytes: number, metadataAt: number, metadataBytes: number): number;
  get_result_ptr(): number;
  get_result_len(): number;
  /** Initialises the language runtime, if there is one (a convention for WASI reactors). */
  _initialize?(): void;
}

/**
 * Runs a check in a fresh instance, so that no text from one caller is left for the next.
 * @throws Error if the module traps, cannot accept the content or violates the ABI in its response.
 */
export function checkContent({ module: compiled, content, metadata }: CheckCall): CheckResult {
  const { exports } = new WebAssembly.Instance(compiled);
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory)!;
  const plugin = exports as unknown as Abi;
  plugin._initialize?.();
  const contentAt = writeBytes(plugin, memory, content);
  const { tenant_id, model, provider, phase } = metadata;
  const metadataBytes = new TextEncoder().encode(JSON.stringify({ tenant_id, model, provider, phase }));
  const metadataAt = writeBytes(plugin, memory, metadataBytes);
  const answer = plugin.check(contentAt, content.byteLength, metadataAt, metadataBytes.byteLength);
  if (answer === 0) return { flagged: false };
  if (answer !== 1) throw new Error(`check returned ${answer}; only 0 and 1 are allowed`);
  return { flagged: true, ...reason(plugin, memory) };
}

/**
 * Allocates space and writes bytes. Refuses address 0, which allocators return when memory is exhausted: writing there
 * would overwrite the module's own data.
 */
function writeBytes(plugin: Abi, memory: WebAssembly.Memory, bytes: Uint8Array): number {
  const at = plugin.alloc(bytes.byteLength) >>> 0;
  if (at === 0) throw new Error(`alloc returned no memory for ${bytes.byteLength} bytes`);
  inMemory(memory, at, bytes.byteLength, 'alloc').set(bytes);
  return at;
}

function reason(plugin: Abi, memory: WebAssembly.Memory): { message?: string; score?: number } {
  const at = plugin.get_result_ptr() >>> 0;
  const length = plugin.get_result_len() >>> 0;
  if (length > wasmSizes.resultBytes)
    throw new Error(`the result has ${length} bytes; at most ${wasmSizes.resultBytes} are allowed`);
  const { message, score } = parseResult(inMemory(memory, at, length, 'the result'));
  if (message !== undefined && typeof message !== 'string') throw new Error("the result's message is not a string");
  if (score !== undefined && (typeof score !== 'number' || !(score >= 0 && score <= 1)))
    throw new Error("the result's score is not a number from 0 to 1");
  return { ...(message !== undefined && { message }), ...(score !== undefined && { score }) };
}

function parseResult(bytes: Uint8Array): { readonly message?: unknown; readonly score?: unknown } {
  try {
    const result: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result;
  } catch {
    // Reported below; the engine's message would quote the result.
  }
  throw new Error('the result is not a JSON object');
}

/**
 * Returns a view of the current memory. It must be obtained each time, because growing the memory replaces its buffer.
 */
function inMemory({ buffer }: WebAssembly.Memory, at: number, length: number, what: string): Uint8Array {
  if (at + length > buffer.byteLength)
    throw new Error(`${what} points outside of the memory: ${length} bytes at ${at} of ${buffer.byteLength}`);
  return new Uint8Array(buffer, at, length);
}
