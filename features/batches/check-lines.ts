/** Runs `policy.check_input` over the lines of a batch, each as a chat call [batches.governed]. */

import type { ChatCall } from '#core/chat/call.ts';
import type { AdmittedCall, ScreenedCall } from '#core/chat/call-stages.ts';
import { refuseAddresses } from '#core/chat/chat-addresses.ts';
import { refuseChoosing } from '#core/chat/choosing-members.ts';
import { keepsCompletion } from '#core/chat/left-out.ts';
import { looksAtTools } from '#core/chat/looks-at-tools.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { blockFailure, clean, countFindings, verdictAttributes, violation } from '#core/chat/stages/input-policy.ts';
import { transformRequest } from '#core/chat/stages/transform.ts';
import type { Finding } from '#core/contracts/chat.ts';
import { batchEndpoints } from '#core/contracts/stored-batch.ts';
import { asGatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ContentPolicy, Verdict } from '#core/models/content-policy/ports.ts';
import { entriesOf } from '#core/models/routing/plan.ts';
import { atLine, type BatchFile, linesInTurn } from './lines.ts';

const strictness = { allow: 0, review: 1, block: 2 } as const;

/**
 * Checks all lines. If one line is blocked, the file is refused; if one line needs review, all of them do.
 * @throws GatewayError `policy_violation` that names the line.
 */
export async function checkLines(
  ports: ChatPorts,
  admitted: AdmittedCall,
  policy: ContentPolicy,
  { lines, endpoint }: BatchFile,
): Promise<ScreenedCall> {
  const { call } = admitted;
  const chats = batchEndpoints[endpoint] === 'chat.completions';
  const context = { tenant_id: call.tenant.id, model: call.resolvedModel, provider: '' };
  const tools =
    chats && looksAtTools(call.snapshot.configuration) ? await import('#core/chat/stages/tool-results.ts') : undefined;
  const bodies: JsonObject[] = [];
  const findings = new FindingSums();
  let worst: { readonly verdict: Verdict; readonly line: number } = { verdict: clean, line: 0 };
  await ports.telemetry.span('policy.check_input', {}, async (span) => {
    for (const { number, body } of lines) {
      refuseLine(call, body, number);
      if (chats) {
        refuseTools(call, body, number);
        refuseStore(body, number);
      }
      const sent = chats ? transformRequest({ ...call, body }) : body;
      bodies.push(sent);
      if (!policy.inputIdle) {
        const verdict = await policy.checkInput(call.wire.requestTexts(sent), context);
        findings.add(verdict.findings);
        if (strictness[verdict.decision] > strictness[worst.verdict.decision]) worst = { verdict, line: number };
        if (verdict.decision === 'block') break;
      }
      if (tools) {
        const verdict = tools.verdictOf(tools.lookAtTools(call, sent));
        findings.add(verdict.findings);
        if (verdict.decision === 'block') {
          worst = { verdict, line: number };
          break;
        }
      }
      if (bodies.length % linesInTurn === 0) await ports.pause(0);
    }
    span.set(verdictAttributes({ ...worst.verdict, findings: findings.all() }));
  });
  const verdict: Verdict = { ...worst.verdict, findings: findings.all() };
  countFindings(ports, verdict);
  const screened = { ...admitted, body: call.body, lines: bodies, inputVerdict: verdict };
  if (verdict.decision === 'block') throw blockFailure(screened, verdict, atLine(worst.line, violation(verdict)));
  return screened;
}

function refuseLine({ dialect, plan, snapshot }: ChatCall, body: JsonObject, line: number): void {
  try {
    refuseAddresses(snapshot.configuration, { dialect, body }, false);
    refuseChoosing(dialect, body, entriesOf(plan));
  } catch (thrown) {
    throw atLine(line, asGatewayError(thrown));
  }
}

/**
 * Refuses tools unless all of them are allowed, because tool calls in batch results are not checked against the policy.
 */
function refuseTools({ snapshot, wire }: ChatCall, body: JsonObject, line: number): void {
  if (snapshot.configuration.chat_completions.tool_use === 'pass' || !wire.usesTools(body)) return;
  throw atLine(
    line,
    invalidRequest(
      'tools are not accepted in a batch, because chat_completions.tool_use requires a decision on each tool call; leave them out.',
    ),
  );
}

/**
 * Refuses `store`, because the gateway would have no record to use for reading or deleting the completion
 * [responses.stored].
 */
function refuseStore({ store }: JsonObject, line: number): void {
  if (keepsCompletion(store))
    throw atLine(
      line,
      invalidRequest('store is not accepted in a batch; leave it out, or send false.', { param: 'store' }),
    );
}

/** Findings over all lines, one per kind, which bounds the size of the evidence entry. */
export class FindingSums {
  readonly #sums = new Map<string, Finding>();

  add(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const { policy, action, phase, detail = '', erred = false } = finding;
      const key = JSON.stringify([policy, action, phase, detail, erred]);
      const before = this.#sums.get(key);
      if (before === undefined && this.#sums.size >= maxKinds) continue;
      this.#sums.set(key, { ...finding, count: (before?.count ?? 0) + finding.count });
    }
  }

  all(): readonly Finding[] {
    return [...this.#sums.values()];
  }
}

/** Maximum number of kinds, because a module may give a different reason for each text. */
const maxKinds = 100;
