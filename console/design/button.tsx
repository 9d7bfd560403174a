/** Buttons, and links that look like them. */
import type { ComponentChildren, ComponentProps, Ref } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type ButtonTone = 'primary' | 'good' | 'bad' | 'quiet';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'class' | 'icon' | 'size'> {
  /** Visual weight of the button: at most one `primary` per page; `quiet` has no border. */
  readonly tone?: ButtonTone | undefined;
  readonly icon?: IconName | undefined;
  /** Small size, for tables and toolbars. */
  readonly small?: boolean;
  /** Receives the element, so that it can be focused. */
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly children?: ComponentChildren;
}

export const Button = ({ tone, icon, small, buttonRef, children, ...rest }: ButtonProps) => (
  <button type="button" {...rest} ref={buttonRef ?? null} class={classOf(tone, small)}>
    {icon && <Icon of={icon} />}
    {children}
  </button>
);

/** A button that shows only an icon: `label` is its name. */
export const IconButton = ({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children'> & { readonly label: string; readonly icon: IconName }) => (
  <button type="button" {...rest} class="button icon-only" aria-label={label} title={label}>
    <Icon of={icon} />
  </button>
);

interface LinkProps {
  readonly href: string;
  readonly tone?: ButtonTone | undefined;
  readonly icon?: IconName | undefined;
  readonly children: ComponentChildren;
}

/** A link that looks like a button, for the next step of a page. */
export const ButtonLink = ({ href, tone, icon, children }: LinkProps) => (
  <a class={classOf(tone, false)} href={href}>
    {icon && <Icon of={icon} />}
    {children}
  </a>
);

const classOf = (tone: ButtonTone | undefined, small: boolean | undefined): string =>
  `button ${tone ?? ''} ${small ? 'small' : ''}`;

/** A row of buttons. */
export const Buttons = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="buttons">{children}</div>
);
