/**
 * An in-memory S3 bucket with the operations that archive and checkpoints use: conditional puts, gets, paged listings.
 */
import type { S3Client } from '@aws-sdk/client-s3';

interface Input {
  readonly Key?: string;
  readonly Body?: string | Uint8Array;
  readonly IfNoneMatch?: string;
  readonly Prefix?: string;
  readonly StartAfter?: string;
  readonly ContinuationToken?: string;
  readonly Delimiter?: string;
  readonly MaxKeys?: number;
}

const refusal = (name: string) => Object.assign(new Error(name), { name });

export class FakeBucket {
  readonly objects = new Map<string, string>();
  /** Names of the requested operations. */
  readonly asked: string[] = [];
  readonly #pageSize: number;

  constructor(pageSize = 1_000) {
    this.#pageSize = pageSize;
  }

  get client(): S3Client {
    const send = async (command: { readonly constructor: { readonly name: string }; readonly input: Input }) =>
      this.answer(command.constructor.name, command.input);
    return { send } as unknown as S3Client;
  }

  /** Handles an operation by its name, such as `PutObjectCommand`. */
  answer(name: string, input: Input): object {
    this.asked.push(name);
    if (name === 'PutObjectCommand') return this.#put(input);
    if (name === 'GetObjectCommand') return this.#get(input);
    if (name === 'ListObjectsV2Command') return this.#list(input);
    throw refusal(`not in this bucket: ${name}`);
  }

  #put({ Key = '', Body = '', IfNoneMatch }: Input): object {
    if (IfNoneMatch !== '*') throw refusal('AccessDenied');
    if (this.objects.has(Key)) throw refusal('PreconditionFailed');
    this.objects.set(Key, typeof Body === 'string' ? Body : Buffer.from(Body).toString('latin1'));
    return {};
  }

  #get({ Key = '' }: Input): object {
    const text = this.objects.get(Key);
    if (text === undefined) throw refusal('NoSuchKey');
    // Bytes are kept as latin1 text.
    return {
      Body: { transformToString: async () => text, transformToByteArray: async () => Buffer.from(text, 'latin1') },
    };
  }

  #list({ Prefix = '', StartAfter = '', ContinuationToken = '', Delimiter, MaxKeys = this.#pageSize }: Input): object {
    const after = ContinuationToken || StartAfter;
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(Prefix)).sort();
    const nameOf = (key: string) => {
      const end = Delimiter === undefined ? -1 : key.indexOf(Delimiter, Prefix.length);
      return end < 0 ? key : key.slice(0, end + 1);
    };
    const names = [...new Set(keys.map(nameOf))].filter((name) => name > after);
    const page = names.slice(0, Math.min(MaxKeys, this.#pageSize));
    const more = names.length > page.length && { NextContinuationToken: page.at(-1) };
    const folders = page.filter((name) => Delimiter !== undefined && name.endsWith(Delimiter));
    return {
      Contents: page.filter((name) => !folders.includes(name)).map((Key) => ({ Key })),
      CommonPrefixes: folders.map((name) => ({ Prefix: name })),
      ...more,
    };
  }
}
