/**
 * The sandbox: configured limits that apply whatever a tool policy decides. A part of a call that exceeds a limit is
 * blocked with `matched_rule: sandbox:<rule>`. Limits never allow a call.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { SandboxSettings } from '#core/contracts/sandbox.ts';
import type { Effect } from '#core/effects/ports.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { checkGit } from './git.ts';
import { checkHttp } from './http.ts';
import type { Check, LimitViolation } from './rule.ts';
import { checkShell } from './shell.ts';
import { checkSql } from './sql.ts';

interface EffectLimitBlock {
  readonly decision: 'block';
  /** For example `sandbox:sql.require_where`. */
  readonly matched_rule: string;
  readonly reason: string;
}

const checks: Readonly<Record<string, Check>> = { shell: checkShell, http: checkHttp, sql: checkSql, git: checkGit };

/**
 * Returns the first limit that a part exceeds. If the effect readers return no parts, the call itself is checked. Never
 * throws: a limit that cannot be checked blocks the call.
 */
export function checkEffectLimits(settings: SandboxSettings, parts: readonly Effect[]): EffectLimitBlock | undefined {
  try {
    for (const part of parts) {
      const finding = checkOf(part)?.(settings, part);
      if (finding) return blockFor(finding);
    }
    return undefined;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return blockFor({ rule: 'unchecked', reason: `The sandbox could not be checked: ${why}.` });
  }
}

const checkOf = ({ protocol }: ToolCall): Check | undefined => {
  const name = foldCase(protocol).trim();
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
};

const blockFor = ({ rule, reason }: LimitViolation): EffectLimitBlock => ({
  decision: 'block',
  matched_rule: `sandbox:${rule}`,
  reason,
});
