import { Box, ColorInput, Fieldset, MultiSelect, Select, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { startingStyles, Theme } from '../../../../shared/contract/features/theme.ts';
import { useApi } from '../../data/api.tsx';
import { queryOf } from '../../data/queries.ts';
import { choicesOf } from '../../forms/input-props.ts';
import { ImageInput } from '../../kinds/media/image-input.tsx';
import { texts } from '../../texts/texts.ts';
import { nonce } from '../../ui/nonce.ts';
import { Pending } from '../../ui/pending.tsx';
import { LookInput } from './look-input.tsx';
import classes from './theme-preview.module.css';
import type { SiteForm } from './use-site-form.ts';

const { shape } = Theme;
/** What is chosen from, by what it is called: each choice of the contract has words. */
const choices = {
  font: texts.site.fonts satisfies Record<Theme['font'], string>,
  width: texts.site.widths satisfies Record<Theme['width'], string>,
  scheme: texts.site.schemes satisfies Record<Theme['scheme'], string>,
};

/** How the public site looks. */
export function ThemeFields({ form: { values, problems, set } }: { form: SiteForm }) {
  const theme = Theme.strip().safeParse(values).data;
  return (
    <Fieldset id="look" legend={texts.site.theme} radius="lg">
      <Stack gap="md">
        <LookInput
          value={values.look}
          onChange={(look) => {
            set('look', look);
            for (const name of ['accent', 'font', 'width'] as const) set(name, startingStyles[look][name]);
          }}
        />
        <ColorInput
          {...texts.site.accent}
          value={values.accent}
          error={problems.theme}
          withEyeDropper={false}
          onChange={(accent) => set('accent', accent)}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {(['font', 'width', 'scheme'] as const).map((name) => (
            <Select
              key={name}
              label={texts.site[name]}
              data={choicesOf(choices[name])}
              value={values[name]}
              allowDeselect={false}
              onChange={(value) => set(name, shape[name].parse(value))}
            />
          ))}
        </SimpleGrid>
        <MultiSelect
          {...texts.site.sections}
          data={choicesOf(texts.site.sectionNames)}
          value={values.sections}
          onChange={(names) => set('sections', shape.sections.parse(names))}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['logo', 'icon'] as const).map((name) => (
            <ImageInput
              key={name}
              label={texts.site[name]}
              description={texts.site.pictureHelps[name]}
              error={undefined}
              value={values[name] ?? ''}
              isAddress
              shape="logo"
              onChange={(address) => set(name, address || null)}
            />
          ))}
        </SimpleGrid>
        {theme && <ThemePreview theme={theme} />}
      </Stack>
    </Fieldset>
  );
}

/** How long a choice stands still before the page is made anew. */
const pauseMs = 250;

/** The home page with a theme that is not saved yet: no script runs in it, and its links and forms lead nowhere. */
function ThemePreview({ theme }: { theme: Theme }) {
  const { studio } = useApi();
  const [settled] = useDebouncedValue(theme, pauseMs);
  const preview = useQuery({
    ...queryOf(['theme-preview', settled], studio.site.preview, { theme: settled }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (!preview.data) return <Pending query={preview} skeleton={<Skeleton h={440} radius="lg" />} />;
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
