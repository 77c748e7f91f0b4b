#!/bin/sh
# Writes facts.tsv: what ffprobe and ImageMagick (with libjpeg, libpng, libwebp, libheif) say of each file.
# pdfinfo and LibreOffice count the pages of documents. A picture has its decoder's complaint or `ok`, and its size; a video its duration and its tracks.
printf 'file\tdecoder\tvideo\taudio\tseconds\n' > facts.tsv
for file in *.*; do
  case $file in
    *.sh | *.tsv) continue ;;
    *.mp4 | *.mov | *.webm | *.mkv | *.avi | *.3gp)
      decoder=$(ffmpeg -v error -i "$file" -f null - 2>&1 | head -1 | sed 's/^\[[^]]*\] //' | cut -c1-60)
      video=$(ffprobe -v quiet -select_streams v:0 -show_entries stream=codec_name,width,height,pix_fmt,avg_frame_rate -of csv=p=0 "$file" | head -1)
      audio=$(ffprobe -v quiet -select_streams a:0 -show_entries stream=codec_name,sample_rate,channels -of csv=p=0 "$file" | head -1)
      seconds=$(ffprobe -v quiet -show_entries format=duration -of csv=p=0 "$file") ;;
    *.pdf)
      decoder=$(pdfinfo "$file" 2>&1 > /dev/null | head -1 | cut -c1-60)
      [ -n "$(pdfinfo "$file" 2> /dev/null | grep 'Encrypted: *yes')" ] && decoder=encrypted
      video=pages,$(pdfinfo "$file" 2> /dev/null | sed -n 's/^Pages: *//p')
      audio= seconds= ;;
    *.doc* | *.odt | *.pp* | *.xls*)
      decoder=$(soffice --headless --convert-to pdf --outdir /tmp/facts "$file" 2>&1 | grep -i error | head -1 | cut -c1-60)
      video=pages,$(pdfinfo "/tmp/facts/${file%.*}.pdf" 2> /dev/null | sed -n 's/^Pages: *//p')
      audio= seconds= ;;
    *)
      decoder=$(convert -regard-warnings "$file" null: 2>&1 | head -1 | sed "s/[\`'].*//; s/^convert[^:]*: //" | cut -c1-60)
      video=$(identify -quiet -format '%m,%w,%h\n' "$file[0]" 2> /dev/null | head -1)
      audio= seconds= ;;
  esac
  printf '%s\t%s\t%s\t%s\t%s\n' "$file" "${decoder:-ok}" "$video" "$audio" "$seconds" >> facts.tsv
done
