/**
 * Active rules and guards, each with its reason and the number of decisions it made in the last week; patterns are
 * shown on demand [console.policies].
 */
import { useCallback, useMemo, useState } from 'preact/hooks';
import { catalogGuard } from '#core/catalog/guards.ts';
import type { CatalogGuard } from '#core/contracts/guard-names.ts';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { ruleDigest } from '#core/policy/rules/rule-digest.ts';
import { useAddress } from '../address-query.ts';
import type { Api } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Choice, Field, Toolbar } from '../design/field.tsx';
import { Icon } from '../design/icon.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { useLive } from '../live.ts';
import { type Me, mayOperate } from '../session.ts';
import { figure } from '../words.ts';
import { conditionsOf } from './conditions.ts';
import {
  groupsOf,
  guardsFound,
  guardsOf,
  type ListedGuard,
  type ListedRule,
  matchingGroups,
  type RuleGroup,
} from './rule-list.ts';

const days = 7;
const everyMs = 30_000;

interface RulesProps {
  readonly api: Api;
  readonly me: Me;
}

interface Answers {
  readonly policies: AnswerOf<'listPolicies'>;
  /** Undefined if the key may not read them. */
  readonly counts: Readonly<Record<string, number>> | undefined;
  readonly places: AnswerOf<'policyVersion'>['places'];
}

export function Rules({ api, me }: RulesProps) {
  const places = mayOperate(me);
  const ask = useCallback(
    async (signal: AbortSignal): Promise<Answers> => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString();
      const [policies, usage] = await Promise.all([
        api.get<'listPolicies'>('policies', signal),
        api.get<'usage'>(`usage?from=${from}`, signal).catch(() => undefined),
      ]);
      const version = places
        ? await api.get<'policyVersion'>(`policy-versions/${policies.version}`, signal).catch(() => undefined)
        : undefined;
      return { policies, counts: usage?.decided_by_rule, places: version?.places };
    },
    [api, places],
  );
  return <Loaded live={useLive(ask, everyMs)}>{(answers) => <RuleTable {...answers} />}</Loaded>;
}

/** Returns the reasons of a catalog guard; empty for an unknown name. */
const reasonsOf = (name: string): readonly string[] => catalogGuard(name as CatalogGuard).map(({ reason }) => reason);

function RuleTable({ policies, counts, places }: Answers) {
  const { rules, guards, policy, default_decision, warnings } = policies;
  const { asked, set } = useAddress();
  const search = { text: asked('q'), decision: asked('decision'), unused: asked('unused') === 'yes' };
  const groups = useMemo(() => groupsOf(rules, { counts, places, digestOf: ruleDigest }), [rules, counts, places]);
  const listed = useMemo(() => guardsOf(guards, { counts, places }, reasonsOf), [guards, counts, places]);
  const [shown, blocks] = [matchingGroups(groups, search), guardsFound(listed, search)];
  const all = groups.flatMap((group) => group.rules);
  const unused = all.filter(({ decided }) => decided === 0).length;
  return (
    <>
      <p class="lead">
        Policy <Text of={policy} />, version {policies.version}: guards block first, then the first rule that matches
        decides. A call that no rule matches: <Badge of={default_decision} />
        {counts && (
          <>
            {' '}
            {times(counts.default ?? 0)} in {days} days.
          </>
        )}
      </p>
      {warnings.map((warning) => (
        <Notice key={warning} kind="warn">
          <Text of={warning} />
        </Notice>
      ))}
      <search>
        <Toolbar>
          <Field label="Search">
            {(tied) => (
              <input
                {...tied}
                type="search"
                autoComplete="off"
                spellcheck={false}
                placeholder="a reason, a tool, a file"
                value={search.text}
                onInput={(event) => set({ q: event.currentTarget.value })}
              />
            )}
          </Field>
          <Choice
            label="Decision"
            value={search.decision}
            options={[['', 'all'], ...(['allow', 'review', 'block'] as const).map((each) => [each, each] as const)]}
            choose={(decision) => set({ decision })}
          />
          {counts && (
            <Choice
              label={`Use in ${days} days`}
              value={search.unused ? 'yes' : ''}
              options={[
                ['', 'all'],
                ['yes', 'not used'],
              ]}
              choose={(unused) => set({ unused })}
            />
          )}
        </Toolbar>
      </search>
      <p role="status" class="quiet">
        {sum(shown)} of {countText(all.length, 'rule')}, {blocks.length} of {countText(listed.length, 'guard')}
        {counts && `; ${countText(unused, 'rule')} decided no call in the last ${days} days`}.
      </p>
      {blocks.length > 0 && (
        <section>
          <h2>Guards</h2>
          <p class="quiet">A guard blocks whatever the rules decide, and no approval lifts it.</p>
          <ul class="rule-list">
            {blocks.map((guard) => (
              <Guard key={guard.name} {...guard} />
            ))}
          </ul>
        </section>
      )}
      {shown.length > 0 && (
        <section>
          <h2>Rules in force</h2>
          <ol class="rule-list">
            {shown.map((group) => (
              <Group key={`${group.rules[0]?.number} ${group.title}`} {...group} />
            ))}
          </ol>
        </section>
      )}
      {shown.length + blocks.length === 0 && (
        <EmptyState icon="search" title="No rule matches">
          No rule and no guard has all of these words. Search for a part of a reason, a tool or a file.
        </EmptyState>
      )}
    </>
  );
}

const sum = (groups: readonly RuleGroup[]): number => groups.reduce((total, { rules }) => total + rules.length, 0);

const times = (count: number): string => countText(count, 'call').replace(/^\d+/, figure(count));

const DecisionCount = ({ decided }: { readonly decided: number | undefined }) =>
  decided === undefined ? null : (
    <span class={decided === 0 ? 'decided none' : 'decided'}>{decided === 0 ? 'not used' : times(decided)}</span>
  );

const Guard = ({ name, reasons, place, decided }: ListedGuard) => (
  <li class="rule">
    <div class="rule-head">
      <Badge of="block" />
      <span class="rule-title">
        <Text of={name} />
        {reasons.length > 0 && (
          <span class="quiet rule-calls">
            <Text of={reasons.join(' ')} />
          </span>
        )}
        {place !== undefined && <RuleLocation at={place} />}
      </span>
      <DecisionCount decided={decided} />
    </div>
  </li>
);

const RuleLocation = ({ at }: { readonly at: string }) => (
  <span class="quiet rule-calls">
    <Code of={at} />
  </span>
);

/** Group of rules. Its patterns are rendered only when it is opened: a pack has hundreds of long ones. */
function Group({ title, decision, reason, rules, decided }: RuleGroup) {
  const [open, setOpen] = useState(false);
  return (
    <li class="rule">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="rule-head">
          <Badge of={decision} />
          <span class="rule-title">
            <Text of={title} />
            {reason !== undefined && (
              <span class="quiet rule-calls">
                <Text of={reason} />
              </span>
            )}
            <span class="quiet rule-calls">{numbers(rules)}</span>
          </span>
          <DecisionCount decided={decided} />
          <Icon of="right" />
        </summary>
        {open && rules.map((each) => <Patterns key={each.number} {...each} />)}
      </details>
    </li>
  );
}

function numbers(rules: readonly ListedRule[]): string {
  const [first, last] = [rules[0]?.number, rules.at(-1)?.number];
  return first === last ? `Rule ${first}` : `Rules ${first} to ${last}`;
}

function Patterns({ rule, number, place, decided }: ListedRule) {
  const { protocol = '*', tool = '*', target, approval, suggested_alternative, credential } = rule;
  const rows: readonly (readonly [string, string])[] = [
    ['Calls', `${protocol}:${tool}`],
    ...(target === undefined ? [] : [['Target', target] as const]),
    ...conditionsOf(rule).map((condition) => ['Condition', condition] as const),
    ...(approval ? [['Approval', JSON.stringify(approval)] as const] : []),
    ...(credential ? [['Credential', `${credential.broker}: ${credential.scope}`] as const] : []),
    ...(suggested_alternative === undefined ? [] : [['Instead', suggested_alternative] as const]),
  ];
  return (
    <div class="patterns">
      <p>
        <strong>Rule {number}</strong> {place !== undefined && <Code of={place} />} <DecisionCount decided={decided} />
      </p>
      <dl class="facts">
        {rows.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>
              <Code of={value} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
