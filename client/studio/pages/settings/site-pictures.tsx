import { SimpleGrid } from '@mantine/core';
import type { Theme } from '../../../../shared/contract/features/theme.ts';
import { ImageInput } from '../../kinds/media/image-input.tsx';
import { texts } from '../../texts/texts.ts';

interface SitePicturesProps {
  theme: Theme;
  onChange(name: 'logo' | 'icon', value: string | null): void;
}

/** The pictures that stand for the site. */
export const SitePictures = ({ theme, onChange }: SitePicturesProps) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }}>
    {(['logo', 'icon'] as const).map((name) => (
      <ImageInput
        key={name}
        label={texts.site[name]}
        description={texts.site.pictureHelps[name]}
        error={undefined}
        value={theme[name] ?? ''}
        isAddress
        shape="logo"
        onChange={(address) => onChange(name, address || null)}
      />
    ))}
  </SimpleGrid>
);
