/**
 * The frame around one person's pages: navigation at the left, or in a drawer on a narrow screen [console.navigation].
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Api } from '../api.ts';
import { countOf, type PendingList } from '../approvals/pending.ts';
import { Count } from '../design/badge.tsx';
import { IconButton } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Icon } from '../design/icon.tsx';
import { Toasts } from '../design/toast.tsx';
import { lazy } from '../lazy.tsx';
import type { Page } from '../page-names.ts';
import { hashOf } from '../route.ts';
import type { Me } from '../session.ts';
import { Brand, Navigation } from './navigation.tsx';
import { pageWords } from './pages.ts';

const Palette = lazy(async () => (await import('./palette.tsx')).Palette);

interface FrameProps {
  readonly api: Api;
  readonly me: Me;
  readonly shown: readonly Page[];
  readonly page: Page;
  readonly pending: PendingList;
  readonly signOut: () => void;
  readonly children: ComponentChildren;
}

export function Frame({ api, me, shown, page, pending, signOut, children }: FrameProps) {
  const [over, setOver] = useState<'menu' | 'search' | undefined>();
  const count = countOf(pending.value);
  useEffect(() => {
    document.title = `${count === undefined ? '' : `(${count}) `}${pageWords[page].name} · Agent Governance Gateway`;
  }, [page, count]);
  // Closes the drawer, so that the chosen page is visible.
  useEffect(() => setOver((now) => (now === 'menu' ? undefined : now)), [page]);
  // Registered in the first render, so that a key pressed as soon as the page is visible counts.
  useLayoutEffect(() => {
    const search = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // A dialog keeps the text typed in it.
      if (!document.querySelector('dialog[open]:not(.drawer)')) setOver('search');
    };
    document.addEventListener('keydown', search);
    return () => document.removeEventListener('keydown', search);
  }, []);
  const close = () => setOver(undefined);
  const navigation = (
    <Navigation me={me} shown={shown} page={page} pending={count} search={() => setOver('search')} signOut={signOut} />
  );
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <IconButton label="Menu" icon="menu" onClick={() => setOver('menu')} />
        <Brand />
        <span class="room" />
        {count !== undefined && (
          <a class="pending-link" href={hashOf('approvals')}>
            <Icon of="approval" />
            <Count of={count} says={`${count} pending approvals`} />
          </a>
        )}
        <IconButton label="Search" icon="search" onClick={() => setOver('search')} />
      </header>
      <div class="side">
        <header>
          <Brand />
        </header>
        {navigation}
      </div>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {over === 'menu' && (
        <Dialog title="Menu" kind="drawer" close={close}>
          <div class="side">
            <header>
              <Brand />
              <IconButton label="Close the menu" icon="close" onClick={close} />
            </header>
            {navigation}
          </div>
        </Dialog>
      )}
      {over === 'search' && (
        <Dialog title="Search" kind="palette" close={close}>
          <Palette api={api} shown={shown} pending={pending.value?.pending ?? []} close={close} />
        </Dialog>
      )}
      <Toasts />
    </div>
  );
}
