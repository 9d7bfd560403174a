/** The console: the sign-in page or, once signed in, the frame with one page. */
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Api, apiOf, faultText } from './api.ts';
import { ApprovalsPage } from './approvals/page.tsx';
import { usePending } from './approvals/pending.ts';
import { Heading } from './design/layout.tsx';
import { Notice, Skeleton } from './design/states.tsx';
import { Frame } from './frame/frame.tsx';
import { pageWords } from './frame/pages.ts';
import { lazy } from './lazy.tsx';
import { askAgain } from './live.ts';
import { OverviewPage } from './overview/page.tsx';
import { pagesOf, refusedPage } from './page-access.ts';
import type { Page } from './page-names.ts';
import type { PageProps } from './page-props.ts';
import { useRoute } from './route.ts';
import { displayName, forgetKey, keepKey, keptKey, keyOfLink, type Me, mayOperate, takeLinkToken } from './session.ts';
import { SignIn, SignInAgain } from './sign-in.tsx';
import { signInFault } from './sign-in-fault.ts';

/** The first pages of a visit are part of the first load; the others are loaded when they are opened [console.size]. */
const components: Readonly<Record<Page, ComponentType<PageProps>>> = {
  approvals: ApprovalsPage,
  overview: OverviewPage,
  sessions: lazy(async () => (await import('./sessions/page.tsx')).SessionsPage),
  traffic: lazy(async () => (await import('./traffic/page.tsx')).TrafficPage),
  requests: lazy(async () => (await import('./requests/page.tsx')).RequestsPage),
  alerts: lazy(async () => (await import('./alerts/page.tsx')).AlertsPage),
  budgets: lazy(async () => (await import('./budgets/page.tsx')).BudgetsPage),
  policies: lazy(async () => (await import('./policies/page.tsx')).PoliciesPage),
  tools: lazy(async () => (await import('./tools/page.tsx')).ToolsPage),
  servers: lazy(async () => (await import('./servers/page.tsx')).ServersPage),
  providers: lazy(async () => (await import('./providers/page.tsx')).ProvidersPage),
  rollouts: lazy(async () => (await import('./rollouts/page.tsx')).RolloutsPage),
  keys: lazy(async () => (await import('./keys/page.tsx')).KeysPage),
  credentials: lazy(async () => (await import('./credentials/page.tsx')).CredentialsPage),
  passkeys: lazy(async () => (await import('./passkeys/page.tsx')).PasskeysPage),
  people: lazy(async () => (await import('./people/page.tsx')).PeoplePage),
  health: lazy(async () => (await import('./health/page.tsx')).HealthPage),
  evidence: lazy(async () => (await import('./evidence/evidence-page.tsx')).EvidencePage),
  plugins: lazy(async () => (await import('./plugins/page.tsx')).PluginsPage),
  design: lazy(async () => (await import('./design/page.tsx')).DesignPage),
};

export function App() {
  const [me, setMe] = useState<Me | undefined>();
  const [token] = useState(takeLinkToken);
  const [kept, setKept] = useState<string | undefined>(token === undefined ? keptKey : '');
  const [why, setWhy] = useState<string | undefined>();
  // Key that calls are sent with; absent once the gateway has refused it.
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
          // A response to a request with the previous key may still arrive.
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
      .catch((fault) => signOut(kept === '' ? faultText(fault) : signInFault(fault)))
      .finally(() => setKept(undefined));
  }, [kept, token, signIn, signOut]);

  if (me)
    return (
      <>
        <PersonPages key={`${me.tenant} ${me.person ?? me.key_id}`} api={api} me={me} signOut={signOut} />
        {ended && (
          <SignInAgain
            who={displayName(me)}
            signIn={signIn}
            why="The gateway no longer accepts this key."
            signOut={() => signOut()}
          />
        )}
      </>
    );
  if (kept !== undefined)
    return (
      <main class="sign-in">
        <Skeleton />
      </main>
    );
  return <SignIn signIn={signIn} why={why} />;
}

interface SignedProps {
  readonly api: Api;
  readonly me: Me;
  readonly signOut: () => void;
}

/** State of one person's pages: when another person signs in, it starts empty. */
function PersonPages({ api, me, signOut }: SignedProps) {
  const route = useRoute();
  const shown = pagesOf(me);
  // An address that names a page is kept, so that a person who followed a link can read why the page does not open.
  const page = route.named ? route.page : (shown.find((name) => name === route.page) ?? shown[0] ?? route.page);
  const refused = refusedPage(page, me);
  const Shown = components[page];
  const pending = usePending(api, mayOperate(me), page === 'approvals' && refused === undefined);
  return (
    <Frame api={api} me={me} shown={shown} page={page} pending={pending} signOut={() => signOut()}>
      {refused === undefined ? (
        <Shown key={page} api={api} me={me} pending={pending} id={route.page === page ? route.id : undefined} />
      ) : (
        <>
          <Heading>{pageWords[page].name}</Heading>
          <Notice kind="info">{refused} Sign out, and sign in with such a key; this address is kept.</Notice>
        </>
      )}
    </Frame>
  );
}
