/** The list of judges, one entry per judge. */

import { decideEffects } from '#core/effects/decide-effects.ts';
import { argumentGuard, argumentVerdict } from '#core/guard/decide-arguments.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { addVerdict, replaceDecision } from '#core/policy/rules/verdict.ts';
import { assessAction, type BehaviorBlock, blockedBy } from '#core/session/risk/assess.ts';
import { signalContextOf } from '#core/session/risk/signal-context.ts';
import type { CallVerdict, Judge, JudgementTime, TextFacts } from './judge.ts';
import { refuseSecrets, secretRule } from './program-texts.ts';

const secretsInPrograms: Judge<TextFacts> = {
  name: 'effects',
  rules: secretRule,
  judge: ({ call }) => refuseSecrets(call),
};

const policyOnEffects: Judge<TextFacts> = {
  name: 'rule',
  judge({ policy, call, effects }) {
    const { policy: _, ...verdict } = decideEffects(policy, call, effects);
    return verdict;
  },
};

const effectLimits: Judge<TextFacts> = {
  name: 'sandbox',
  rules: 'sandbox:',
  async judge({ call, effects, sandbox }) {
    const parts = effects.parts.length > 0 ? effects.parts : [call];
    // MCP tool calls have no limit of their own.
    if (parts.every(({ protocol }) => protocol === 'mcp')) return undefined;
    return (await effectLimitsModule()).checkEffectLimits(sandbox, parts);
  },
};

const guardOnArguments: Judge<TextFacts> = {
  name: 'guard',
  rules: 'tool_guard:',
  judge: async ({ call, guard }) => guard && argumentVerdict(call, await argumentGuard(guard)),
};

/** Notes the sources of values that rules check, for evidence, responses and approval cards [provenance.rules]. */
const sourceNotes: Judge = {
  name: 'provenance',
  records: true,
  judge: ({ caller }) => caller?.sourceNotes && { provenance: caller.sourceNotes },
};

const killSwitch: Judge = {
  name: 'risk',
  records: true,
  judge({ caller }) {
    return stoppedBy(caller && blockedBy(caller.configuration.behavior, caller.standing, caller.nowMs));
  },
};

/** Scores the call based on the decision of all other judges, so it runs last. */
const sessionRisk: Judge = {
  name: 'risk',
  rules: 'behavior:',
  records: true,
  judge({ effects, caller }, when, earlier) {
    if (!caller?.scored) return undefined;
    const { configuration, envelope, callDigest: call_digest, standing, probed, nowMs } = caller;
    const assessed = assessAction({
      settings: configuration.behavior,
      context: signalContextOf(configuration),
      standing,
      effects,
      probed,
      nowMs,
      call: { ...envelope, call_digest },
      decision: earlier.decision ?? 'block',
      approved: when === 'approved',
    });
    return assessed && { behavior: assessed.note, ...stoppedBy(assessed.blocked) };
  },
};

/** Judges that need only the call. A worker runs them for large calls [limit.hostile]. */
export const textJudges: readonly Judge<TextFacts>[] = [
  secretsInPrograms,
  policyOnEffects,
  effectLimits,
  guardOnArguments,
];

/**
 * All judges of core in the order in which they run. Among equal verdicts, the first counts. Features' judges run before
 * the last one, which scores the call.
 */
export const judges: Judge[] = [...textJudges, sourceNotes, killSwitch, sessionRisk];

/**
 * Returns the worst of all verdicts. After a block, only recording judges run; after the kill switch, none do.
 * @param earlier verdict of the preceding judges.
 */
export async function ask<Facts>(
  asked: readonly Judge<Facts>[],
  facts: Facts,
  when: JudgementTime,
  earlier: CallVerdict = {},
): Promise<CallVerdict> {
  let worst = earlier;
  for (const judge of asked) {
    if (worst.stopped) break;
    if (worst.decision === 'block' && !judge.records) continue;
    const said = judge.judge(facts, when, worst);
    const verdict = said instanceof Promise ? await said : said;
    if (verdict) worst = (verdict.stopped ? replaceDecision : addVerdict)<CallVerdict>(worst, verdict);
  }
  return worst;
}

const effectLimitsModule = lazyImport(() => import('#core/effects/limits/check.ts'));

const stoppedBy = (stopped: BehaviorBlock | undefined): CallVerdict | undefined =>
  stopped && { decision: 'block', matched_rule: stopped.matched_rule, reason: stopped.reason, stopped };
