/** The pages available to a key, by task; the signed-in person; the light or dark theme [console.navigation]. */
import { useState } from 'preact/hooks';
import { Count } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Icon, type IconName, Logo } from '../design/icon.tsx';
import { Text } from '../design/text.tsx';
import { chooseTheme, chosenTheme, type Theme, themes } from '../design/theme.ts';
import type { Page } from '../page-names.ts';
import { hashOf } from '../route.ts';
import { displayName, type Me } from '../session.ts';
import { groups, pageWords } from './pages.ts';

interface NavigationProps {
  readonly me: Me;
  readonly shown: readonly Page[];
  readonly page: Page;
  /** Pending approvals, as a number or `200+`; undefined if there are none. */
  readonly pending: string | undefined;
  readonly search: () => void;
  readonly signOut: () => void;
}

export const Brand = () => (
  <a class="brand" href={hashOf('overview')}>
    <Logo />
    <span>
      Agent Governance <small>Gateway</small>
    </span>
  </a>
);

export const Navigation = ({ me, shown, page, pending, search, signOut }: NavigationProps) => (
  <>
    <button type="button" class="search" onClick={search}>
      <Icon of="search" />
      <span>Search</span>
      <span aria-hidden="true">
        <kbd>Ctrl K</kbd>
      </span>
    </button>
    <nav aria-label="Pages">
      {groups
        .map(([group, pages]) => [group, pages.filter((name) => shown.includes(name))] as const)
        .filter(([, pages]) => pages.length > 0)
        .map(([group, pages]) => (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{group}</h2>
            <ul>
              {pages.map((name) => (
                <li key={name}>
                  <a href={hashOf(name)} aria-current={name === page ? 'page' : undefined}>
                    <Icon of={pageWords[name].icon} />
                    {pageWords[name].name}
                    {name === 'approvals' && pending !== undefined && (
                      <Count of={pending} says={`, ${pending} pending`} />
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </nav>
    <footer>
      <p class="who">
        <strong>
          <Text of={displayName(me)} />
        </strong>
        <span class="quiet">
          {me.role}, <Text of={me.tenant} />
        </span>
      </p>
      <div class="buttons">
        <ThemeSwitch />
        <Button small tone="quiet" icon="sign-out" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </footer>
  </>
);

const themeWords: Readonly<Record<Theme, readonly [name: string, icon: IconName]>> = {
  system: ['System colours', 'system'],
  light: ['Light', 'sun'],
  dark: ['Dark', 'moon'],
};

function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <fieldset class="themes">
      <legend class="unseen">Colours</legend>
      {themes.map((each) => (
        <label key={each} title={themeWords[each][0]}>
          <input
            class="unseen"
            type="radio"
            name="theme"
            checked={each === theme}
            onChange={() => {
              setTheme(each);
              chooseTheme(each);
            }}
          />
          <Icon of={themeWords[each][1]} />
          <span class="unseen">{themeWords[each][0]}</span>
        </label>
      ))}
    </fieldset>
  );
}
