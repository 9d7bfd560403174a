/** From the first request of a session to its task sheet: whom and what the person named [manifest.first-request]. */
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import { firstRequestId } from './first-sheet.ts';
import { sheetOfRequest } from './from-request.ts';

/** No values: what a request says is trusted as far as its own call goes, and a sheet adds nothing to that. */
export function sheetOfFirstRequest(request: string): FirstSheet {
  const { recipients = [], resources } = sheetOfRequest({ name: firstRequestId, risk_tier: 'high', request });
  return resources ? { recipients, resources } : { recipients };
}
