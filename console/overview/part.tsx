/** A card of the overview, with a link to its page. */
import type { ComponentChildren } from 'preact';
import type { IconName } from '../design/icon.tsx';
import { Card } from '../design/layout.tsx';
import type { Page } from '../page-names.ts';
import { hashOf } from '../route.ts';

/** Maximum number of rows in a card. */
export const mostListed = 3;

interface PartProps {
  readonly title: string;
  readonly icon: IconName;
  readonly page: Page;
  /** Text of the link, such as `Review`. */
  readonly open?: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

export const Part = ({ title, icon, page, open = 'Open', wide = false, children }: PartProps) => (
  <Card
    title={title}
    icon={icon}
    wide={wide}
    aside={
      <a class="onward" href={hashOf(page)} aria-label={`${open}: ${title}`}>
        {open}
      </a>
    }
  >
    {children}
  </Card>
);
