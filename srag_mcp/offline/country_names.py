"""Names of countries, folded: world knowledge that tells the end of an address. Data only."""

_NAMES = """
afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan
bahrain|bangladesh|belarus|belgium|bolivia|bosnia and herzegovina|botswana|brazil|bulgaria
cambodia|cameroon|canada|chile|china|colombia|costa rica|croatia|cuba|cyprus|czech republic
czechia|denmark|dominican republic|ecuador|egypt|el salvador|england|estonia|ethiopia|fiji
finland|france|georgia|germany|ghana|greece|guatemala|honduras|hong kong|hungary|iceland|india
indonesia|iran|iraq|ireland|israel|italy|ivory coast|jamaica|japan|jordan|kazakhstan|kenya
kosovo|kuwait|latvia|lebanon|libya|liechtenstein|lithuania|luxembourg|madagascar|malaysia|malta
mauritius|mexico|moldova|monaco|mongolia|montenegro|morocco|mozambique|myanmar|namibia|nepal
netherlands|the netherlands|new zealand|nicaragua|nigeria|north macedonia|northern ireland
norway|oman|pakistan|panama|paraguay|peru|philippines|poland|portugal|qatar|romania|russia
rwanda|saudi arabia|scotland|senegal|serbia|singapore|slovakia|slovenia|south africa
south korea|korea|spain|sri lanka|sudan|sweden|switzerland|syria|taiwan|tanzania|thailand
tunisia|turkey|turkiye|uganda|ukraine|united arab emirates|uae|united kingdom|uk|great britain
united states|united states of america|usa|us|uruguay|uzbekistan|venezuela|vietnam|wales|yemen
zambia|zimbabwe|deutschland|osterreich|schweiz|suisse|svizzera|espana|italia|nederland|belgique
brasil
"""

COUNTRIES = frozenset(name for line in _NAMES.split("\n") for name in line.split("|") if name)
