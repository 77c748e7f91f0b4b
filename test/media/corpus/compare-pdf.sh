#!/bin/sh
# Compares PDFs that are made of pictures (PDF_FOLDER of pdf-of-pictures.test.ts) with what ImageMagick shows of
# the pictures: `sh compare-pdf.sh FOLDER`, in this folder. Prints the mean difference as MuPDF, Poppler and
# Ghostscript draw each page; 0 is none. Poppler smooths edges, and each converts CMYK by its own rules.
for picture in *.jpg *.png; do
  pdf="$1/$picture.pdf"
  [ -f "$pdf" ] || continue
  convert "${picture}[0]" -auto-orient -background white -alpha remove -colorspace sRGB +profile '*' PNG24:/tmp/picture.png
  mutool draw -q -r 72 -o /tmp/mupdf.png "$pdf" 1 2> /dev/null
  pdftoppm -r 72 -png -singlefile "$pdf" /tmp/poppler
  gs -q -dNOPAUSE -dBATCH -sDEVICE=png16m -r72 -sOutputFile=/tmp/ghostscript.png "$pdf"
  printf '%s' "$picture"
  for reader in mupdf poppler ghostscript; do
    printf '\t%s' "$(compare -metric MAE /tmp/picture.png /tmp/$reader.png null: 2>&1 | sed 's/.*(\(.*\)).*/\1/')"
  done
  printf '\n'
done
