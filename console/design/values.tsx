/** Times and amounts in readable form; the exact value is in the title. */
import { ageText, money } from '../words.ts';

/** `2 min ago`. */
export const RelativeTime = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${new Date(at).toLocaleString()} (${at})`}>
    {ageText(at)}
  </time>
);

/** `$0.0042`: two significant digits below one dollar, cents above. */
export const Money = ({ usd }: { readonly usd: number }) => (
  <data value={usd} title={`${usd} USD`}>
    {money(usd)}
  </data>
);
