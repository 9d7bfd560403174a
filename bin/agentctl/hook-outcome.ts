/** What an agent says of a call after it, as the outcome that evidence keeps: digest and size of the result, nothing of its contents [cli.hook-outcome]. */
import { createHash } from 'node:crypto';
import { canonicalize } from '#core/kernel/canonical.ts';
import { type Fields, fields, text } from './json-fields.ts';

export interface Outcome {
  readonly outcome: 'executed' | 'failed';
  readonly result_sha256?: string;
  readonly result_bytes?: number;
  readonly exit_code?: number;
}

/** The agent's own id of the call, the same before and after it; undefined where it gives none that can stand in an entry. */
export function callIdOf({ tool_use_id }: Fields): string | undefined {
  const id = text(tool_use_id);
  return id !== undefined && /^(?!\.+$)[A-Za-z0-9._:-]{1,128}$/.test(id) ? id : undefined;
}

/** Digest and size are those of the canonical JSON of the result, or of the error where the agent gives no result. */
export function outcomeOf(event: Fields): Outcome {
  const result = event.tool_response ?? event.error;
  const told = fields(event.tool_response);
  const exit_code = [told.exit_code, told.exitCode, told.returnCode].find((code) => Number.isSafeInteger(code));
  const failed =
    event.hook_event_name === 'PostToolUseFailure' ||
    [told.is_error, told.isError, told.interrupted].includes(true) ||
    told.success === false ||
    (typeof exit_code === 'number' && exit_code !== 0);
  return {
    outcome: failed ? 'failed' : 'executed',
    ...(result !== undefined && digested(result)),
    ...(typeof exit_code === 'number' && exit_code >= -1 && exit_code <= 0xffffffff && { exit_code }),
  };
}

function digested(result: unknown): Pick<Outcome, 'result_sha256' | 'result_bytes'> {
  const bytes = Buffer.from(canonicalize(result));
  return { result_sha256: createHash('sha256').update(bytes).digest('hex'), result_bytes: bytes.length };
}
