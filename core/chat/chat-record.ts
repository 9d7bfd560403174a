/** Builds a call's evidence entry from the results of its stages: counts and names, never content. */

import type { ChatRecord } from '#core/contracts/chat.ts';
import { cancelledBy } from '#core/execution/cancellation/watch.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { EndedCall } from './call-stages.ts';
import type { Charge } from './call-usage.ts';
import { findingsOf, leftOutOf, providerOf, rulingOf } from './known-facts.ts';
import { boundedNames } from './left-out.ts';
import { forcedTool, governsTools } from './tool-use-mode.ts';

/** Facts about how the call is recorded that are not part of the call. */
interface Recording {
  readonly clock: Clock;
  readonly charge: Charge;
  readonly traceId: string;
  /** Entries evicted from the cache since the last query. */
  readonly evictions: number;
  readonly delivered: 'unknown' | undefined;
}

export function recordOf({ known, ending, status }: EndedCall, recording: Recording): ChatRecord {
  const { call, progress, attempts = [] } = known;
  const { configuration, version } = call.snapshot;
  const { charge, traceId, evictions, delivered } = recording;
  const { decision, matchedRule } = rulingOf(known, ending);
  const [findings, leftOut, provider] = [findingsOf(known), leftOutOf(known), providerOf(known)];
  const { usage, cost } = charge;
  const [replied] = charge.otherModels;
  const by = cancelledBy(call.signal);
  const tool = governsTools(call) && configuration.messages.structured_output === 'data' ? forcedTool(call) : undefined;
  return {
    operation: call.operation,
    decision,
    outcome: ending.outcome,
    status,
    ...(ending.error !== undefined && { error: ending.error }),
    ...(tool !== undefined && { structured_output: tool.slice(0, 256) }),
    ...(known.resource !== undefined && { resource: known.resource }),
    ...(leftOut.length > 0 && { left_out: boundedNames(leftOut) }),
    ...(by !== undefined && ending.outcome === 'aborted' && { aborted_by: by }),
    ...(delivered !== undefined && { delivered }),
    model: call.model,
    resolved_model: call.resolvedModel,
    ...(replied !== undefined && { replied_model: replied.slice(0, 256).toWellFormed() }),
    ...(provider !== undefined && { provider }),
    ...(known.region !== undefined && { region: known.region }),
    ...(known.demo && { demo: true }),
    stream: call.stream,
    transport: call.transport,
    policy_version: version,
    ...(matchedRule !== undefined && { matched_rule: matchedRule }),
    ...(findings.length > 0 && { findings }),
    usage,
    cost_microusd: cost.microusd,
    ...(cost.estimated && { cost_estimated: true }),
    ...(known.lookup && { cache: known.lookup.state }),
    ...(evictions > 0 && { cache_evictions: evictions }),
    ...(progress?.finishReason !== undefined && { finish_reason: progress.finishReason }),
    ...(progress && progress.finishReasons.length > 1 && { finish_reasons: progress.finishReasons }),
    latency_ms: Math.max(0, recording.clock.now() - known.startedMs),
    ...(progress?.firstTokenMs !== undefined && { first_token_ms: progress.firstTokenMs }),
    ...(attempts.length > 0 && { attempts }),
    ...(known.rollout && { rollout: known.rollout }),
    request_id: call.requestId,
    request_sha256: known.requestSha256 ?? digestOf(call.body),
    ...(traceId !== '' && { trace_id: traceId }),
    ...(known.approval && { approval_ref: known.approval.id }),
    ...(configuration.policies.break_glass && { break_glass: true }),
  };
}
