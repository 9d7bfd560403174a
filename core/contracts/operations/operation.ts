/** Type of an operation's inputs and outputs. */
import * as z from 'zod';

export interface OperationContract {
  /** Body of the request, if any. */
  readonly input?: z.ZodType;
  /** Default: `application/json`. */
  readonly inputType?:
    | 'application/json'
    | 'application/yaml'
    | 'application/x-www-form-urlencoded'
    | 'multipart/form-data';
  /** Body of a successful response: a schema, or the content type of text or bytes. */
  readonly output:
    | z.ZodType
    | { readonly text: 'text/plain' | 'text/markdown' | 'text/html' | 'text/event-stream' | 'application/jsonl' }
    | { readonly bytes: 'audio/*' };
  /** Status of a successful response. Default: 200. */
  readonly status?: 201 | 202;
  /** Streams events if the body has `stream: true`. */
  readonly streams?: true;
  /** A second successful response. */
  readonly also?: { readonly status: 202; readonly description: string };
  /** Example response for operations that tests cannot call: callbacks are signed by their senders. */
  readonly example?: unknown;
  /** `messages`: errors have Anthropic's format. */
  readonly errors?: 'messages';
}

/** ISO 8601, UTC. */
export const time = z.iso.datetime().meta({ description: 'ISO 8601, UTC.' });
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256 in hex.' });
export const count = z.int().nonnegative();
export const microusd = z.int().nonnegative().meta({ description: 'Millionths of a US dollar.' });
export const usd = z.number().nonnegative().meta({ description: 'US dollars.' });
export const share = z.number().min(0).max(1).meta({ description: 'A share, 0 to 1.' });
export const milliseconds = z.number().nonnegative().meta({ description: 'Milliseconds.' });
export const counts = z.record(z.string(), count);
export const tokens = z.strictObject({ input: count, output: count });
/** Members that identify the subject of the numbers. */
export const subject = {
  tenant: z.string().optional().meta({ description: "The caller's tenant; absent where path was asked for." }),
  path: z.string().optional().meta({ description: 'As asked for: a path of the organisations.' }),
  tenants: z
    .array(z.string())
    .optional()
    .meta({ description: 'With path: the tenants below it in which the caller may read, added up here.' }),
};
/** Opaque cursor of the next page. Absent on the last page. */
export const cursor = z
  .string()
  .optional()
  .meta({ description: 'Pass it unchanged for the next page; absent on the last one.' });
export const decision = z.enum(['allow', 'review', 'block']);
