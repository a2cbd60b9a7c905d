import { Box, Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Theme } from '../../../../shared/contract/features/theme.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/query-of.ts';
import { texts } from '../../texts/texts.ts';
import { Failed } from '../../ui/failed.tsx';
import { nonce } from '../../ui/nonce.ts';
import classes from './theme-preview.module.css';

/** How long a choice stands still before the page is made anew. */
const pauseMs = 250;

/** The home page with a theme that is not saved yet: no script runs in it, and its links and forms lead nowhere. */
export function ThemePreview({ theme }: { theme: Theme }) {
  const { studio } = useApi();
  const [settled] = useDebouncedValue(theme, pauseMs);
  const preview = useQuery({
    ...queryOf(['theme-preview', settled], studio.site.preview, { theme: settled }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (preview.error) return <Failed error={preview.error} onRetry={preview.refetch} />;
  if (!preview.data) return <Skeleton h={440} radius="lg" />;
  const { html, css } = preview.data;
  // Its own origin is the studio's, or its fonts would not be loaded; without scripts there is nothing to use it.
  return (
    <Box className={classes.window}>
      <iframe
        className={classes.page}
        title={texts.site.preview}
        sandbox="allow-same-origin"
        srcDoc={html.replace('<head>', `<head><base target="_blank"><style nonce="${nonce}">${css}</style>`)}
      />
    </Box>
  );
}
