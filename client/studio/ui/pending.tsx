import { Failed } from './failed.tsx';
import { ListSkeleton } from './list-skeleton.tsx';

/** In place of what is not there yet: while it comes, or since it couldn't be loaded. */
export const Pending = ({ query: { error, refetch } }: { query: { error: unknown; refetch(): void } }) =>
  error ? <Failed error={error} onRetry={refetch} /> : <ListSkeleton />;
