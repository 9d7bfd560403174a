/** An icon in the colour and size of its text. It is decorative: the adjacent word, or a label, carries the meaning. */
import { icons } from './icons.ts';

export type IconName = keyof typeof icons;

export const Icon = ({ of }: { readonly of: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={icons[of]} />
  </svg>
);

/** The product logo: a gate with a check. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" />
    <path d="M8.500 24.500V13a7.500 7.500 0 0 1 15 0v11.500M12.250 17.500l2.900 2.900 5-5.900" />
  </svg>
);
