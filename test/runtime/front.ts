/** API Gateway's view of a function's response: the response to the caller, or a 502 for an invalid format. */
import type { Loose } from '../support/loose.ts';
import type { Posted } from './runtime-api.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Loose;
}

/** Delimiter between the metadata and the body of a streamed response. */
const delimiter = Buffer.alloc(8);
const streamedForm = 'application/vnd.awslambda.http-integration-response';

const badGateway = (why: string): Answer => ({ status: 502, headers: {}, text: why, body: undefined as Loose });

export function asCaller({ kind, contentType, bytes }: Posted): Answer {
  if (kind === 'error') return badGateway(`the function failed: ${bytes}`);
  return kind === 'stream' ? streamed(contentType, bytes) : buffered(bytes);
}

function buffered(bytes: Buffer): Answer {
  const { statusCode, headers, body } = JSON.parse(bytes.toString()) as Loose;
  if (!Number.isInteger(statusCode)) return badGateway('an answer without statusCode');
  return answer(statusCode, headers, body);
}

function streamed(contentType: string, bytes: Buffer): Answer {
  const end = bytes.indexOf(delimiter);
  if (contentType !== streamedForm || end < 0) return badGateway(`a stream without a status line: ${bytes}`);
  const { statusCode, headers } = JSON.parse(bytes.subarray(0, end).toString()) as Loose;
  return answer(statusCode, headers, bytes.subarray(end + delimiter.length).toString());
}

function answer(status: number, headers: Record<string, string>, text: string): Answer {
  const json = headers['content-type']?.startsWith('application/json') && text !== '';
  return { status, headers, text, body: json ? JSON.parse(text) : (undefined as Loose) };
}
