/** The decision on one call: its effects, the verdict of each judge, and the deciding rule [console.playground]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge, Risk, type RiskKind } from '../design/badge.tsx';
import { Card, Fact, Facts } from '../design/layout.tsx';
import { Code, Text } from '../design/text.tsx';
import { Trace } from './trace.tsx';

type Result = AnswerOf<'simulate'>['results'][number];

interface ResultProps {
  readonly title: string;
  readonly of: Result;
}

/** Judges by the prefix of their `matched_rule`. */
const judges: readonly (readonly [start: string, judge: string])[] = [
  ['guard:', 'A guard of the pack'],
  ['tool_guard:', 'The tool guard, which reads the arguments'],
  ['sandbox:', 'The sandbox'],
  ['manifest:', 'The task sheet of the session'],
  ['behavior:', 'The risk of the session'],
  ['provenance:', 'The sources of the values'],
  ['level:', 'A rule of the organisation'],
  ['default', 'No rule matched: the default of the policy'],
];

/** Names the judge that decided. */
const deciderOf = (rule: string): string =>
  judges.find(([start]) => rule.startsWith(start))?.[1] ?? 'A rule of the policy';

export const Result = ({ title, of }: ResultProps) => {
  const { decision, matched_rule, place, policy, reason, needs, suggested_alternative, trace, effects = [] } = of;
  const name = trace?.find(({ matched }) => matched)?.name;
  return (
    <Card title={title} aside={<Badge of={decision} />}>
      {reason && (
        <p class="step-title">
          <Text of={reason} />
        </p>
      )}
      <Facts>
        <Fact name="Decided by">
          {deciderOf(matched_rule)}: {name !== undefined && <Text of={`${name} `} />}
          <Code of={matched_rule} />
          {place && (
            <>
              {' '}
              at <Code of={place} />
            </>
          )}{' '}
          <span class="quiet">
            (<Text of={policy} />)
          </span>
        </Fact>
        {needs && (
          <Fact name="Needs">
            <Text of={needs} />
          </Fact>
        )}
        {suggested_alternative && (
          <Fact name="Instead">
            <Text of={suggested_alternative} />
          </Fact>
        )}
      </Facts>
      <CallEffects of={of} />
      {trace && <Trace trace={trace} effects={effects} />}
    </Card>
  );
};

const kinds: ReadonlySet<string> = new Set<RiskKind>(['read', 'write', 'delete', 'execute']);
const riskOf = (capability: string): RiskKind => (kinds.has(capability) ? (capability as RiskKind) : 'unknown');

/** The facts on which the judges base their decisions. */
function CallEffects({ of: { effects = [], more_effects, unclear, catalog = [] } }: { readonly of: Result }) {
  if (effects.length === 0 && unclear === undefined && catalog.length === 0) return null;
  return (
    <>
      <h3>What the call would do</h3>
      <ul class="regions">
        {effects.map(({ tool, target, capability, decision, matched_rule, reason }, at) => (
          <li key={at}>
            <Badge of={decision} /> <Risk kind={riskOf(capability)} of={capability} /> <Code of={tool} />
            {target !== '' && (
              <>
                {' '}
                on <Text of={target} />
              </>
            )}
            <span class="quiet rule-calls">
              {reason ? <Text of={reason} /> : deciderOf(matched_rule)} <Code of={matched_rule} />
            </span>
          </li>
        ))}
        {more_effects !== undefined && <li class="quiet">and {more_effects} more</li>}
        {unclear !== undefined && (
          <li>
            <Risk kind="unknown" of="cannot be determined" /> <Text of={unclear} />
          </li>
        )}
        {catalog.map(({ entry, found }) => (
          <li key={entry + found}>
            <Badge of="catalog" tone="info" /> <Code of={entry} />: <Text of={found} />
          </li>
        ))}
      </ul>
    </>
  );
}
