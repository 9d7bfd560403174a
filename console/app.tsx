/** The frame of the console: signed out the sign-in page, signed in the navigation and one page. */
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { AlertsPage } from './alerts/page.tsx';
import { type Api, apiOf, faultText } from './api.ts';
import { ApprovalsPage } from './approvals/page.tsx';
import { countOf, usePending } from './approvals/pending.ts';
import { BudgetsPage } from './budgets/page.tsx';
import { CredentialsPage } from './credentials/page.tsx';
import { HealthPage } from './health/page.tsx';
import { askAgain } from './live.ts';
import { pagesOf, refusedPage } from './page-access.ts';
import type { PageProps } from './page-props.ts';
import { PasskeysPage } from './passkeys/page.tsx';
import { PoliciesPage } from './policies/page.tsx';
import { RequestsPage } from './requests/page.tsx';
import { RolloutsPage } from './rollouts/page.tsx';
import { hashOf, type Page, useRoute } from './route.ts';
import { forgetKey, keepKey, keptKey, keyOfLink, type Me, mayOperate, nameOf, takeLinkToken } from './session.ts';
import { SessionsPage } from './sessions/page.tsx';
import { SignIn, SignInAgain } from './sign-in.tsx';
import { ToolsPage } from './tools/page.tsx';
import { TrafficPage } from './traffic/page.tsx';
import { Heading, Notice, Text } from './ui.tsx';

const names: Readonly<Record<Page, string>> = {
  approvals: 'Approvals',
  tools: 'Tools',
  sessions: 'Sessions',
  requests: 'Requests',
  traffic: 'Traffic',
  policies: 'Policies',
  alerts: 'Alerts',
  budgets: 'Budgets',
  rollouts: 'Rollouts',
  credentials: 'Credentials',
  passkeys: 'Passkeys',
  health: 'Health',
};

const components: Readonly<Record<Page, ComponentType<PageProps>>> = {
  approvals: ApprovalsPage,
  tools: ToolsPage,
  sessions: SessionsPage,
  requests: RequestsPage,
  traffic: TrafficPage,
  policies: PoliciesPage,
  alerts: AlertsPage,
  budgets: BudgetsPage,
  rollouts: RolloutsPage,
  credentials: CredentialsPage,
  passkeys: PasskeysPage,
  health: HealthPage,
};

export function App() {
  const [me, setMe] = useState<Me | undefined>();
  const [token] = useState(takeLinkToken);
  const [kept, setKept] = useState<string | undefined>(token === undefined ? keptKey : '');
  const [why, setWhy] = useState<string | undefined>();
  // The key of the calls: absent once the gateway has refused it.
  const key = useRef<string | undefined>();
  const [ended, setEnded] = useState(false);

  const signOut = useCallback((reason?: string) => {
    forgetKey();
    key.current = undefined;
    setKept(undefined);
    setMe(undefined);
    setEnded(false);
    setWhy(reason);
  }, []);
  const signIn = useCallback(async (given: string) => {
    const signedIn = await apiOf(() => given).get<'whoami'>('whoami');
    keepKey(given);
    key.current = given;
    setWhy(undefined);
    setEnded(false);
    setMe(signedIn);
    askAgain();
  }, []);
  const api = useMemo(
    () =>
      apiOf(
        () => key.current,
        (refused) => {
          // An answer to the key before may still come.
          if (refused !== key.current) return;
          forgetKey();
          key.current = undefined;
          setEnded(true);
        },
      ),
    [],
  );

  useEffect(() => {
    if (kept === undefined) return;
    (token === undefined || kept !== '' ? signIn(kept) : keyOfLink(token).then(signIn))
      .catch((fault) => signOut(`Sign in again: ${faultText(fault)}`))
      .finally(() => setKept(undefined));
  }, [kept, token, signIn, signOut]);

  if (me)
    return (
      <>
        <Signed key={`${me.tenant} ${me.person ?? me.key_id}`} api={api} me={me} signOut={signOut} />
        {ended && (
          <SignInAgain
            who={nameOf(me)}
            signIn={signIn}
            why="The key does not hold any more."
            signOut={() => signOut()}
          />
        )}
      </>
    );
  if (kept !== undefined) return <p class="quiet">Signing in…</p>;
  return <SignIn signIn={signIn} why={why} />;
}

interface SignedProps {
  readonly api: Api;
  readonly me: Me;
  readonly signOut: () => void;
}

/** For one person: another one begins with pages of their own. */
function Signed({ api, me, signOut }: SignedProps) {
  const route = useRoute();
  const shown = pagesOf(me);
  // An address that names a page keeps it: who followed a link reads why it does not open.
  const page = route.named ? route.page : (shown.find((name) => name === route.page) ?? shown[0] ?? route.page);
  const refused = refusedPage(page, me);
  const Shown = components[page];
  const pending = usePending(api, mayOperate(me), page === 'approvals' && refused === undefined);
  const count = countOf(pending.value);
  useEffect(() => {
    document.title = `${count}${names[page]} · Agent Governance Gateway`;
  }, [page, count]);
  const nav = useRef<HTMLElement>(null);
  // On a phone the pages stand in one line, and the one that is open may be out of sight.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [page],
  );
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="bar">
        <strong>Gateway</strong>
        <nav ref={nav} aria-label="Pages">
          {shown.map((name) => (
            <a key={name} class="tab" href={hashOf(name)} aria-current={name === page ? 'page' : undefined}>
              {names[name]}
            </a>
          ))}
        </nav>
        <span class="who">
          <Text of={nameOf(me)} /> ({me.role}, {me.tenant})
        </span>
        <button type="button" class="plain" onClick={() => signOut()}>
          Sign out
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {refused === undefined ? (
          <Shown key={page} api={api} me={me} pending={pending} id={route.page === page ? route.id : undefined} />
        ) : (
          <>
            <Heading>{names[page]}</Heading>
            <Notice kind="info">{refused} Sign out, and sign in with such a key; this address is kept.</Notice>
          </>
        )}
      </main>
    </>
  );
}
