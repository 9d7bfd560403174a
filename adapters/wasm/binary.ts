/** Reads a module's binary to find its limits and its functions' types, which the JavaScript API does not expose. */

interface Shape {
  readonly memories: readonly Limits[];
  readonly tables: readonly Limits[];
  /** Exported functions by name, with types such as `(i32) -> i32`. */
  readonly functions: ReadonlyMap<string, string>;
  readonly exportsMemory: boolean;
}

export interface Limits {
  readonly min: number;
  /** In pages of 64 KiB for memories, in entries for tables. */
  readonly max: number | undefined;
}

const sectionIds = { type: 1, import: 2, function: 3, table: 4, memory: 5, export: 7, start: 8 } as const;
const exportKinds = { function: 0, memory: 2 } as const;
const headerBytes = 8;

/**
 * Reads a binary that the engine has already validated.
 * @throws Error for imports, for shared and 64-bit memories, and for types that would let a module allocate outside its
 * memory: structures, arrays, and references to them.
 */
export function shapeOf(bytes: Uint8Array): Shape {
  const sections = sectionsOf(bytes);
  const read = <T>(id: number, item: (reader: Reader) => T): T[] => {
    const section = sections.get(id);
    return section ? section.list(() => item(section)) : [];
  };
  if (read(sectionIds.import, () => undefined).length > 0)
    throw new Error('it has imports; a filter must not import anything');
  if (sections.has(sectionIds.start))
    throw new Error('it has a start function; export the initialization as _initialize instead');
  const types = read(sectionIds.type, functionType);
  const typeOfFunction = read(sectionIds.function, (reader) => types[reader.u32()] ?? '');
  const tables = read(sectionIds.table, tableLimits);
  const memories = read(sectionIds.memory, limits);
  const exported = read(sectionIds.export, (reader) => ({
    name: reader.text(),
    kind: reader.u8(),
    index: reader.u32(),
  }));
  const functions = exported.filter(({ kind }) => kind === exportKinds.function);
  return {
    memories,
    tables,
    functions: new Map(functions.map(({ name, index }) => [name, typeOfFunction[index] ?? ''])),
    exportsMemory: exported.some(({ kind }) => kind === exportKinds.memory),
  };
}

function sectionsOf(bytes: Uint8Array): Map<number, Reader> {
  const sections = new Map<number, Reader>();
  const reader = new Reader(bytes, headerBytes);
  while (!reader.done) {
    const id = reader.u8();
    sections.set(id, reader.part(reader.u32()));
  }
  return sections;
}

const numberTypes = new Map([
  [0x7f, 'i32'],
  [0x7e, 'i64'],
  [0x7d, 'f32'],
  [0x7c, 'f64'],
  [0x7b, 'v128'],
  [0x70, 'funcref'],
  [0x6f, 'externref'],
]);

function functionType(reader: Reader): string {
  if (reader.u8() !== 0x60) throw new Error('it declares types other than functions');
  const types = () => reader.list(() => valueType(reader)).join(', ');
  return `(${types()}) -> ${types() || 'nothing'}`;
}

function valueType(reader: Reader): string {
  const name = numberTypes.get(reader.u8());
  if (name === undefined) throw new Error('it uses types that are neither numbers nor plain references');
  return name;
}

function tableLimits(reader: Reader): Limits {
  valueType(reader);
  return limits(reader);
}

function limits(reader: Reader): Limits {
  const flags = reader.u8();
  if (flags > 1) throw new Error('it declares a memory that is shared or uses 64-bit addresses');
  return { min: reader.u32(), max: flags === 1 ? reader.u32() : undefined };
}

/** A reader that consumes bytes from front to back. */
class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, from = 0) {
    this.#bytes = bytes;
    this.#at = from;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  u8(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('it ends too early');
    return byte;
  }

  /** Reads LEB128: seven bits per byte, at most five bytes. */
  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error('it holds a number of more than 32 bits');
  }

  text(): string {
    return new TextDecoder().decode(this.#take(this.u32()));
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.u32() }, item);
  }

  part(length: number): Reader {
    return new Reader(this.#take(length));
  }

  #take(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
