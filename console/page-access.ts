/**
 * The pages that a key can open, and the reasons why it cannot open others. The gateway refuses their operations in any
 * case [console.roles].
 */
import { type Page, pages } from './page-names.ts';
import { type Me, mayOperate } from './session.ts';

/** Pages whose operations a viewer may call. */
const forViewers: ReadonlySet<Page> = new Set<Page>([
  ...(['overview', 'traffic', 'alerts', 'budgets'] as const),
  ...(['policies', 'tools', 'servers', 'providers'] as const),
  ...(['keys', 'people', 'health', 'evidence', 'plugins'] as const),
]);
/** Pages that show an agent key its own data. */
const forAgents: ReadonlySet<Page> = new Set<Page>(['approvals', 'sessions']);

export const pagesOf = (me: Me): readonly Page[] =>
  pages.filter((page) => page !== 'design' && refusedPage(page, me) === undefined);

/** Returns why a page is not shown and which key it requires; undefined if it is shown. */
export function refusedPage(page: Page, me: Me): string | undefined {
  const { role, kind } = me;
  if (page === 'design') return undefined;
  if (kind === 'agent' && !forAgents.has(page))
    return 'This key is of kind agent; this page needs a key of kind human or service.';
  if (!mayOperate(me) && !forViewers.has(page))
    return `This key has the role ${role}; this page needs operator or admin.`;
  if (page === 'passkeys' && (kind !== 'human' || me.person === undefined))
    return `This key is of kind ${kind}; this page needs a key of kind human that names a person.`;
  return undefined;
}
