/** The four calls of DynamoDB Streams that the feed makes, over plain HTTP: local servers check no signature. */
import type { DynamoDBRecord } from 'aws-lambda';

export interface StreamsApi {
  shards(stream: string): Promise<readonly string[]>;
  /** Where to read on: after a record, or from the oldest kept. */
  iterator(stream: string, shard: string, after?: string): Promise<string>;
  /** `next` is absent at the end of a closed shard. */
  records(iterator: string, limit: number): Promise<{ records: DynamoDBRecord[]; next?: string }>;
}

/** A fault answered by the server, under its short name, e.g. `ExpiredIteratorException`. */
export class StreamsFault extends Error {
  constructor(type: string, message: string) {
    super(message);
    this.name = type;
  }
}

interface Answer {
  readonly __type?: string;
  readonly message?: string;
  readonly StreamDescription?: {
    readonly Shards?: { readonly ShardId: string }[];
    readonly LastEvaluatedShardId?: string;
  };
  readonly ShardIterator?: string;
  readonly Records?: DynamoDBRecord[];
  readonly NextShardIterator?: string;
}

/** Present because servers ask for it; nobody verifies it. */
const authorization =
  'AWS4-HMAC-SHA256 Credential=local/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

export function streamsApi(endpoint: string): StreamsApi {
  const call = async (operation: string, body: object): Promise<Answer> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
      },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as Answer;
    if (response.ok) return answer;
    throw new StreamsFault(answer.__type?.split('#').at(-1) ?? `Http${response.status}`, answer.message ?? operation);
  };
  return {
    shards: async (StreamArn) => {
      const found: string[] = [];
      let last: string | undefined;
      do {
        const page: Answer = await call('DescribeStream', { StreamArn, ...(last && { ExclusiveStartShardId: last }) });
        found.push(...(page.StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId));
        last = page.StreamDescription?.LastEvaluatedShardId;
      } while (last !== undefined);
      return found;
    },
    iterator: async (StreamArn, ShardId, after) => {
      const from =
        after === undefined
          ? { ShardIteratorType: 'TRIM_HORIZON' }
          : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after };
      return (await call('GetShardIterator', { StreamArn, ShardId, ...from })).ShardIterator ?? '';
    },
    records: async (ShardIterator, Limit) => {
      const { Records = [], NextShardIterator: next } = await call('GetRecords', { ShardIterator, Limit });
      return { records: Records, ...(next !== undefined && { next }) };
    },
  };
}
