/** Compiles a filter's module and checks that it follows the ABI, imports nothing, and has limited memory. */
import { type Limits, shapeOf } from './binary.ts';

export const wasmSizes = {
  /** Maximum size of a module file. */
  moduleBytes: 50 * 1024 * 1024,
  memoryPages: 1024,
  tableEntries: 100_000,
  /** Maximum value that `get_result_len` may return. */
  resultBytes: 64 * 1024,
} as const;

const abi = {
  alloc: '(i32) -> i32',
  check: '(i32, i32, i32, i32) -> i32',
  get_result_ptr: '() -> i32',
  get_result_len: '() -> i32',
} as const;

/** Compiles a module. @throws Error that names the ABI violation. */
export async function compileModule(bytes: Uint8Array): Promise<WebAssembly.Module> {
  if (bytes.byteLength > wasmSizes.moduleBytes)
    throw new Error(`the WASM module has ${bytes.byteLength} bytes; at most ${wasmSizes.moduleBytes} are allowed`);
  const module = await WebAssembly.compile(bytes).catch((cause: Error) => {
    throw new Error(`the WASM module is corrupt (${cause.message})`, { cause });
  });
  const problem = problemOf(bytes);
  if (problem !== undefined) throw new Error(`the WASM module is refused: ${problem}`);
  return module;
}

function problemOf(bytes: Uint8Array): string | undefined {
  try {
    const { functions, memories, tables, exportsMemory } = shapeOf(bytes);
    for (const [name, wanted] of Object.entries(abi)) {
      const found = functions.get(name);
      if (found !== wanted) return `${name} is ${found ?? 'not exported'}, wanted ${wanted}`;
    }
    const [memory] = memories;
    if (!memory || memories.length > 1 || !exportsMemory) return 'it must have one memory and export it';
    return (
      sizeProblem('memory', memory.max, wasmSizes.memoryPages) ??
      sizeProblem('tables', inAll(tables), wasmSizes.tableEntries)
    );
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/** Sums the limits of tables, which are outside the memory and can also grow. */
const inAll = (tables: readonly Limits[]): number | undefined =>
  tables.reduce<number | undefined>(
    (sum, { max }) => (sum === undefined || max === undefined ? undefined : sum + max),
    0,
  );

const units = { memory: 'pages of 64 KiB', tables: 'entries' } as const;

function sizeProblem(what: keyof typeof units, max: number | undefined, allowed: number): string | undefined {
  if (max === undefined) return `${what} without a declared maximum; declare at most ${allowed} ${units[what]}`;
  if (max > allowed) return `${what} with a maximum of ${max} ${units[what]}; at most ${allowed} are allowed`;
  return undefined;
}
