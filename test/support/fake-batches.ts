/** Files and batches of an OpenAI account, as a script for the fake provider: one account for all callers. */
import { body, type FakeReply, jsonReply, type RecordedRequest } from './fake-providers.ts';

interface Batch {
  id: string;
  input_file_id: string;
  endpoint: string;
  status: string;
  output_file_id: string | null;
  error_file_id: string | null;
  metadata?: object;
}

/** Function that returns the result for one line: the body of its reply, or the whole line. */
type AnswerLine = (line: { custom_id: string; body: object }) => { reply?: object; line?: object | string };

export interface BatchAccount {
  readonly script: (request: RecordedRequest) => FakeReply;
  /** File contents, keyed by provider id. */
  readonly files: Map<string, string>;
  readonly batches: Map<string, Batch>;
  /** Runs every pending batch. */
  run(answer?: AnswerLine): void;
}

const missing = (what: string) =>
  jsonReply({ error: { message: `No such ${what}`, type: 'invalid_request_error' } }, 404);
const answered: AnswerLine = ({ custom_id }) => {
  const choices = [{ index: 0, message: { role: 'assistant', content: `for ${custom_id}` } }];
  return { reply: { id: 'c1', object: 'chat.completion', choices } };
};

export function batchAccount(): BatchAccount {
  const files = new Map<string, string>();
  const batches = new Map<string, Batch>();
  let made = 0;
  const fileOf = (id: string) => ({
    id,
    object: 'file',
    bytes: Buffer.byteLength(files.get(id)!),
    created_at: 1_700_000_000,
    filename: 'theirs.jsonl',
    purpose: 'batch',
    status: 'processed',
  });
  const batchOf = (batch: Batch) => ({
    object: 'batch',
    created_at: 1_700_000_000,
    completion_window: '24h',
    ...batch,
  });

  const onFiles = ({ method, path, body: sent }: RecordedRequest): FakeReply => {
    const [, id = '', content] = /^\/v1\/files(?:\/([^/]+)(\/content)?)?$/.exec(path) ?? [];
    if (method === 'POST') {
      const key = `file-theirs${++made}`;
      files.set(key, Buffer.from(sent.file.base64, 'base64').toString('utf8'));
      return jsonReply(fileOf(key));
    }
    if (!files.has(id)) return missing('file');
    if (content) return body([files.get(id)!], { headers: { 'content-type': 'application/octet-stream' } });
    if (method !== 'DELETE') return jsonReply(fileOf(id));
    files.delete(id);
    return jsonReply({ id, object: 'file', deleted: true });
  };

  const onBatches = ({ method, path, body: sent }: RecordedRequest): FakeReply => {
    const [, id, cancel] = /^\/v1\/batches(?:\/([^/]+)(\/cancel)?)?$/.exec(path) ?? [];
    if (id === undefined && method === 'POST') {
      const key = `batch_theirs${++made}`;
      batches.set(key, { id: key, status: 'validating', output_file_id: null, error_file_id: null, ...sent });
      return jsonReply(batchOf(batches.get(key)!));
    }
    const batch = batches.get(id ?? '');
    if (!batch) return missing('batch');
    if (cancel) batch.status = 'cancelling';
    return jsonReply(batchOf(batch));
  };

  return {
    files,
    batches,
    script: (request) => (request.path.startsWith('/v1/files') ? onFiles(request) : onBatches(request)),
    run(answer = answered) {
      for (const batch of batches.values()) {
        if (batch.output_file_id !== null) continue;
        const lines = files.get(batch.input_file_id)!.trim().split('\n');
        const out = lines.map((text, at) => {
          const { reply, line } = answer(JSON.parse(text));
          const { custom_id } = JSON.parse(text);
          const response = { status_code: 200, request_id: `r${at}`, body: reply };
          const whole = { id: `batch_req_${at}`, custom_id, response, error: null };
          return typeof line === 'string' ? line : JSON.stringify(line ?? whole);
        });
        batch.output_file_id = `file-out${++made}`;
        batch.status = 'completed';
        files.set(batch.output_file_id, `${out.join('\n')}\n`);
      }
    },
  };
}
