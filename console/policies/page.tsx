/** Policies: the rules in force, the versions with their differences, and a playground [console.policies]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import type { Api } from '../api.ts';
import { type Live, useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { go, hashOf } from '../route.ts';
import { type Me, mayOperate } from '../session.ts';
import { Badge, Code, Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { conditionsOf } from './conditions.ts';
import { Difference } from './difference.tsx';
import type { Draft } from './draft.ts';
import { Editor } from './editor.tsx';
import { Playground } from './playground.tsx';

export function PoliciesPage({ api, me, id }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'policyVersions'>('policy-versions', signal), [api]);
  const versions = useLive(ask, 10_000);
  const compared = id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
  return (
    <>
      <Heading>Policies</Heading>
      {mayOperate(me) && <Workbench api={api} me={me} current={versions.value?.current} />}
      <Versions api={api} live={versions} compared={compared} mayCompare={mayOperate(me)} />
      <Rules api={api} />
    </>
  );
}

interface WorkbenchProps {
  readonly api: Api;
  readonly me: Me;
  /** The version in force, once it is known. */
  readonly current: number | undefined;
}

/** Shows the call next to the policies, stacked on narrow screens. */
function Workbench({ api, me, current }: WorkbenchProps) {
  const [draft, setDraft] = useState<Draft | undefined>();
  return (
    <div class={draft === undefined ? '' : 'side-by-side'}>
      <Playground api={api} tenant={me.tenant} draft={draft} />
      <Editor
        api={api}
        maySave={me.platform && me.role === 'admin'}
        current={current}
        draft={draft}
        setDraft={setDraft}
      />
    </div>
  );
}

interface VersionsProps {
  readonly api: Api;
  readonly live: Live<AnswerOf<'policyVersions'>>;
  readonly compared: number | undefined;
  readonly mayCompare: boolean;
}

function Versions({ api, live, compared, mayCompare }: VersionsProps) {
  return (
    <section>
      <h2>Versions</h2>
      <Loaded live={live}>
        {({ current, versions }) => (
          <>
            <Table caption="Versions of the configuration" heads={['Version', 'Stored', 'By', 'Source', 'Differences']}>
              {versions.map(({ version, created_at, created_by, source, of_version }) => (
                <tr key={version}>
                  <td>
                    {version} {version === current && <Badge of="in force" />}
                  </td>
                  <td>
                    <RelativeTime at={created_at} />
                  </td>
                  <td>
                    <Text of={created_by} />
                  </td>
                  <td>
                    {source}
                    {of_version !== undefined && ` of version ${of_version}`}
                  </td>
                  <td>
                    {version !== current && mayCompare && (
                      <a href={hashOf('policies', String(version))}>Compare version {version} with the one in force</a>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
            {compared !== undefined && mayCompare && (
              <Difference
                key={`${compared} ${current}`}
                api={api}
                from={compared}
                to={current}
                close={() => go('policies')}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Rules({ api }: { readonly api: Api }) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listPolicies'>('policies', signal), [api]);
  return (
    <section>
      <h2>Rules in force</h2>
      <Loaded live={useLive(ask, 0)}>
        {({ policy, default_decision, rules, guards, warnings }) => (
          <>
            <p>
              Policy <Text of={policy} />: the first rule that matches decides; without one the decision is{' '}
              <Badge of={default_decision} />. Guards block whatever a rule decides: <Text of={guardNames(guards)} />.
            </p>
            {warnings.map((warning) => (
              <Notice key={warning} kind="warn">
                <Text of={warning} />
              </Notice>
            ))}
            <Table caption="Rules in order" heads={['Rule', 'Target', 'Conditions', 'Decision', 'Reason']}>
              {rules.map((rule, at) => (
                <tr key={at}>
                  <td>
                    <Code of={`${rule.protocol ?? '*'}:${rule.tool ?? '*'}`} />
                  </td>
                  <td>
                    <Code of={rule.target ?? '*'} />
                  </td>
                  <td>
                    <ul class="plain-list">
                      {conditionsOf(rule).map((condition) => (
                        <li key={condition}>
                          <Code of={condition} />
                        </li>
                      ))}
                    </ul>
                  </td>
                  <td>
                    <Badge of={rule.decision} />
                  </td>
                  <td>{rule.reason && <Text of={rule.reason} />}</td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Several entries of one name are one guard. */
const guardNames = (guards: AnswerOf<'listPolicies'>['guards']): string =>
  [...new Set(guards.map((guard) => (typeof guard === 'string' ? guard : guard.name)))].join(', ') || 'none';
