/** The parts of a page: its heading, sections, cards, and label-value rows. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

interface HeadingProps {
  readonly children: ComponentChildren;
  /** One sentence about the purpose of the page. */
  readonly lead?: ComponentChildren;
  /** Buttons that apply to the whole page. */
  readonly actions?: ComponentChildren;
}

/** The page heading, which takes the focus so that a screen reader begins there. */
export function Heading({ children, lead, actions }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div class="heading">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {children}
        </h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {actions && <div class="buttons">{actions}</div>}
    </div>
  );
}

/** A link above a heading that leads back to the page's list. */
export const Back = ({ href, children }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a class="back" href={href}>
    <Icon of="back" />
    {children}
  </a>
);

interface CardProps {
  readonly title: string;
  readonly icon?: IconName | undefined;
  /** Elements to the right of the title: a badge, a link, small buttons. */
  readonly aside?: ComponentChildren;
  /** Whether the card spans two columns in a grid with enough room. */
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** A section with a border. */
export function Card({ title, icon, aside, wide, children }: CardProps) {
  const id = useId();
  return (
    <section class={wide ? 'card-box wide' : 'card-box'} aria-labelledby={id}>
      <header>
        <h2 id={id}>
          {icon && <Icon of={icon} />}
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Cards side by side, as many as fit. */
export const Grid = ({ children }: { readonly children: ComponentChildren }) => <div class="grid">{children}</div>;

/** The main number of a card, with its unit or meaning. */
export const Figure = ({ of, children }: { readonly of: ComponentChildren; readonly children: ComponentChildren }) => (
  <p class="figure">
    <strong>{of}</strong> <span>{children}</span>
  </p>
);

/** Label-value rows. */
export const Facts = ({ children }: { readonly children: ComponentChildren }) => <dl class="facts">{children}</dl>;
export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
