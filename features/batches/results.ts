/**
 * Returns a batch's results to the caller [batches.results]. Each line passes through the output policy and the
 * transforms like a reply. A blocked line becomes an error under its custom_id.
 */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { ChatCall } from '#core/chat/call.ts';
import { endpointTexts } from '#core/chat/endpoint-texts.ts';
import { rewriteTexts } from '#core/chat/stages/output-policy.ts';
import type { Finding } from '#core/contracts/chat.ts';
import { type BatchEndpoint, batchEndpoints } from '#core/contracts/stored-batch.ts';
import { assertBounded, type Json, type JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, textOf } from '#core/kernel/narrow.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { replyBounds } from '#core/models/providers/reply.ts';
import { FindingSums } from './check-lines.ts';
import { linesInTurn } from './lines.ts';

interface Results {
  /** JSON Lines. */
  readonly text: string;
  readonly findings: readonly Finding[];
  /** The first few model names found in the replies. */
  readonly models: readonly string[];
}

const maxModels = 100;

export async function checkResults(
  ports: Pick<GovernPorts, 'pause' | 'telemetry'>,
  call: ChatCall,
  policy: ContentPolicy,
  source: { readonly text: string; readonly endpoint: BatchEndpoint; readonly provider: string },
): Promise<Results> {
  const context = { tenant_id: call.tenant.id, model: call.resolvedModel, provider: source.provider };
  const sums = new FindingSums();
  const out: string[] = [];
  const models = new Set<string>();
  const passedOn = async (line: JsonObject): Promise<JsonObject> => {
    const model = textOf(objectOf(objectOf(line.response)?.body)?.model);
    if (model && models.size < maxModels) models.add(model);
    const texts = resultSlots(line, source.endpoint);
    const verdict = policy.outputIdle ? undefined : await policy.checkOutput(texts, context);
    if (verdict) sums.add(verdict.findings);
    if (verdict && verdict.decision !== 'allow') return withheld(line, verdict.matched_rule);
    rewriteTexts(call, texts);
    return line;
  };
  for (const written of source.text.split('\n')) {
    if (written.trim() === '') continue;
    const line = lineIn(written);
    try {
      out.push(JSON.stringify(line ? await passedOn(line) : unreadableLine));
    } catch (fault) {
      ports.telemetry.log('error', 'a line of batch results could not be checked', { error: (fault as Error).message });
      out.push(JSON.stringify(line ? checkFailedLine(line) : unreadableLine));
    }
    if (out.length % linesInTurn === 0) await ports.pause(0);
  }
  return { text: out.map((line) => `${line}\n`).join(''), findings: sums.all(), models: [...models] };
}

/** Parses a line. A line that is not an object cannot be checked as a reply, so it is not passed on. */
function lineIn(written: string): JsonObject | undefined {
  try {
    assertBounded(written, replyBounds);
    const line = JSON.parse(written) as Json;
    return isObject(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the reply's text in its endpoint's format, and every other string in the line. */
function resultSlots(line: JsonObject, endpoint: BatchEndpoint): TextSlot[] {
  const response = objectOf(line.response);
  const reply = objectOf(response?.body);
  if (!response || !reply) return leaves(line, 'line');
  const operation = batchEndpoints[endpoint];
  const slots = operation === 'chat.completions' ? dialects.openai.replyTexts(reply) : endpointTexts(reply);
  return [...slots, ...leaves(line, 'line', [{ place: { holder: response, key: 'body' } }])];
}

const withheld = (line: JsonObject, rule = 'content policy'): JsonObject => ({
  ...lineIds(line),
  response: null,
  error: { code: 'policy_violation', message: `The reply is blocked by policy ${rule.replace(/^content:/, '')}.` },
});

/** Returns the error that replaces a line whose check failed. */
const checkFailedLine = (line: JsonObject): JsonObject => ({
  ...lineIds(line),
  response: null,
  error: {
    code: 'policy_violation',
    message: 'The reply could not be checked, so it is not passed on. Ask for the results again.',
  },
});

/** Returns only the ids, because the rest of the line has not passed the policy. */
const lineIds = ({ id, custom_id }: JsonObject): JsonObject => ({
  id: safeId(id),
  custom_id: safeId(custom_id),
});

const safeId = (value: Json | undefined): string | null => {
  const text = textOf(value) ?? '';
  return /^[\w.:/-]{1,128}$/.test(text) ? text : null;
};

const unreadableLine: JsonObject = {
  id: null,
  custom_id: null,
  response: null,
  error: { code: 'provider_error', message: 'The provider wrote a line that is not a JSON object.' },
};
