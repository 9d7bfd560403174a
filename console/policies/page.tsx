/**
 * Policies: the active rules, a draft with a playground, and the versions with their differences [console.policies].
 */
import { useCallback } from 'preact/hooks';
import { Heading } from '../design/layout.tsx';
import { lazy } from '../lazy.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { mayOperate } from '../session.ts';

const Rules = lazy(async () => (await import('./rules.tsx')).Rules);
const Workbench = lazy(async () => (await import('./workbench.tsx')).Workbench);
const Versions = lazy(async () => (await import('./versions.tsx')).Versions);

const parts = { rules: 'Rules', try: 'Try and change', versions: 'Versions' } as const;
type PageSection = keyof typeof parts;

export function PoliciesPage({ api, me, id }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'policyVersions'>('policy-versions', signal), [api]);
  const versions = useLive(ask, 10_000);
  const compared = id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
  const offered = (Object.keys(parts) as PageSection[]).filter((part) => part !== 'try' || mayOperate(me));
  const shown = compared !== undefined ? 'versions' : (offered.find((part) => part === id) ?? 'rules');
  return (
    <>
      <Heading lead="What agents may do: guards, rules in order, and a place to try a change before it is in force.">
        Policies
      </Heading>
      <nav class="parts" aria-label="Parts of this page">
        {offered.map((part) => (
          <a
            key={part}
            href={hashOf('policies', part === 'rules' ? undefined : part)}
            aria-current={part === shown ? 'page' : undefined}
          >
            {parts[part]}
          </a>
        ))}
      </nav>
      {shown === 'rules' && <Rules api={api} me={me} />}
      {shown === 'try' && <Workbench api={api} me={me} current={versions.value?.current} />}
      {shown === 'versions' && <Versions api={api} live={versions} compared={compared} mayCompare={mayOperate(me)} />}
    </>
  );
}
