import { ColorInput, Fieldset, MultiSelect, Select, SimpleGrid, Stack } from '@mantine/core';
import { startingStyles, Theme } from '../../../../shared/contract/features/theme.ts';
import { choicesOf } from '../../forms/field-help.ts';
import { ImageInput } from '../../kinds/media/image-input.tsx';
import { texts } from '../../texts/texts.ts';
import { LookInput } from './look-input.tsx';
import { ThemePreview } from './theme-preview.tsx';
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
              data={choicesOf({ choices: choices[name] })}
              value={values[name]}
              allowDeselect={false}
              onChange={(value) => set(name, shape[name].parse(value))}
            />
          ))}
        </SimpleGrid>
        <MultiSelect
          {...texts.site.sections}
          data={choicesOf({ choices: texts.site.sectionNames })}
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
