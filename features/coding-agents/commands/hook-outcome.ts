/** Builds an outcome for evidence: the result's digest and size, without its contents [cli.hook-outcome]. */
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { type Fields, fields, text } from '#core/kernel/json-fields.ts';

interface HookOutcome {
  readonly outcome: 'executed' | 'failed';
  readonly result_sha256?: string;
  readonly result_bytes?: number;
  readonly exit_code?: number;
}

/**
 * Returns the outcome. Its digest and size are those of the result's canonical JSON, or of the error if there is no
 * result.
 */
export function hookOutcome(event: Fields): HookOutcome {
  const result = event.tool_response ?? event.tool_output ?? event.error ?? event.error_message;
  const output = outputOf(event);
  const exit_code = [output.exit_code, output.exitCode, output.returnCode, geminiExit(output)].find((code) =>
    Number.isSafeInteger(code),
  );
  const failed =
    /Failure$/.test(text(event.hook_event_name) ?? '') ||
    [output.is_error, output.isError, output.interrupted].includes(true) ||
    (output.error !== undefined && output.error !== null) ||
    output.success === false ||
    (typeof exit_code === 'number' && exit_code !== 0);
  return {
    outcome: failed ? 'failed' : 'executed',
    ...(result !== undefined && resultDigest(result)),
    ...(typeof exit_code === 'number' && exit_code >= -1 && exit_code <= 0xffffffff && { exit_code }),
  };
}

/** Returns the result's fields. Cursor sends the result as JSON text. */
function outputOf({ tool_response, tool_output }: Fields): Fields {
  if (typeof tool_output !== 'string') return fields(tool_response ?? tool_output);
  try {
    return fields(JSON.parse(tool_output));
  } catch {
    return {};
  }
}

/** Reads the exit code that Gemini CLI appends to a failed command's output in the text sent to the model. */
function geminiExit({ llmContent }: Fields): number | undefined {
  const [, code] =
    /\nExit Code: (\d{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*(?:\n<\/untrusted_context>)?\s*$/.exec(
      text(llmContent) ?? '',
    ) ?? [];
  return code === undefined ? undefined : Number(code);
}

function resultDigest(result: unknown): Pick<HookOutcome, 'result_sha256' | 'result_bytes'> {
  const bytes = Buffer.from(canonicalize(result));
  return { result_sha256: sha256(bytes), result_bytes: bytes.length };
}
