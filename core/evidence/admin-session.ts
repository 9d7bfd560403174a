/** The session that holds the administrative acts of a tenant on one UTC day. */
import { isoTime } from '#core/kernel/ports.ts';

/** @param ms milliseconds since 1970 */
export const adminSession = (tenant: string, ms: number): string => `admin-${tenant}-${isoTime(ms).slice(0, 10)}`;
