/**
 * Chat calls, newest first, with filters in the address; or one of them with its trace and evidence [console.requests].
 */
import { lazy } from '../lazy.tsx';
import type { PageProps } from '../page-props.ts';
import { RequestList } from './list.tsx';

const OneRequest = lazy(async () => (await import('./one-request.tsx')).OneRequest);

export const RequestsPage = (props: PageProps) =>
  props.id === undefined ? <RequestList {...props} /> : <OneRequest key={props.id} {...props} id={props.id} />;
