/** Reads protobuf messages using a table of their fields, to the extent that OTLP traces need the format. */
import type { Loose } from './loose.ts';

/** Type of a field: a scalar, or the fields of an embedded message. */
type Type = 'string' | 'hex' | 'varint' | 'fixed64' | 'fixed32' | 'double' | 'bool' | Message;
/** Field number → name and type; a name that ends in `[]` is repeated. */
export interface Message {
  readonly [field: number]: readonly [name: string, type: Type | (() => Message)];
}

export type Decoded = Record<string, Loose>;

export function decode(bytes: Buffer, message: Message): Decoded {
  const decoded: Decoded = {};
  for (const [, known] of Object.entries(message)) if (known[0].endsWith('[]')) decoded[known[0].slice(0, -2)] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the message ends within a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const raw = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()));
    const known = message[tag >> 3];
    if (!known) throw new Error(`field ${tag >> 3} is not known`);
    const [name, type] = known;
    const value = read(raw, typeof type === 'function' ? type() : type);
    if (name.endsWith('[]')) decoded[name.slice(0, -2)].push(value);
    else decoded[name] = value;
  }
  return decoded;
}

function read(raw: bigint | Buffer, type: Type): unknown {
  if (typeof raw === 'bigint') return type === 'bool' ? raw === 1n : Number(BigInt.asIntN(64, raw));
  switch (type) {
    case 'string':
      return raw.toString('utf8');
    case 'hex':
      return raw.toString('hex');
    case 'fixed64':
      return raw.readBigUInt64LE();
    case 'fixed32':
      return raw.readUInt32LE();
    case 'double':
      return raw.readDoubleLE();
    case 'varint':
    case 'bool':
      throw new Error('a number was expected');
    default:
      return decode(raw, type);
  }
}
